/**
 * Builds a view anew beside the one that serves, compares the two row by row, and swaps.
 *
 *     1. fold the log from its start up to where the live view stood when the rebuild began
 *     2. go on to where the live view stands now, and compare: both are folds of the same events
 *     3. go on to the end of the log; then, while the runner waits, past all that it delivered, and
 *        swap in one rename
 *
 * The live view serves and moves on all the while; its rows are compared in a snapshot. Up to the
 * rename everything happens in a file of its own, so that a cancel or a crash leaves the live one
 * untouched. A comparison ends behind the second step, and does the first one for several views
 * with one reading of the log.
 */
import { type EventStore, START } from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import { type FoldLog, foldLog } from '../fold-log.ts'
import type { InspectStream } from '../fold-singly.ts'
import type { LiveView } from '../live-view.ts'
import { lowest, type Runner } from '../runner.ts'
import { removeDatabase, removeLargeDatabase } from '../view-database.ts'
import { ViewFile, type ViewPorts } from '../view-file.ts'
import { type Differences, findDifferences } from './compare.ts'

export interface RebuildProgress {
  /** Events folded. */
  readonly done: number
  /** Events to fold until the comparison: fixed at the start. */
  readonly total: number
  /** Events of others that were passed over on the way, where the log is shared with them. */
  readonly passedOver: number
}

export interface RebuildSummary {
  readonly name: string
  readonly events: number
  /** Rows in which the old view and the new one differed. */
  readonly differences: number
}

/** Events that a trial folds: some tenths of a second. */
const TRIAL_EVENTS = 2_000

/** What a rebuild would have to do. */
export interface RebuildTrial {
  readonly name: string
  /** That it would fold, if it began now. */
  readonly events: number
  /** That were folded to try it, from the beginning of the log. */
  readonly tried: number
}

export interface ViewComparison {
  readonly name: string
  readonly events: number
  /** Between the live rows and those that the log makes. */
  readonly differences: Differences
}

export interface CompareProgress extends RebuildProgress {
  /** The view whose rows are being compared; undefined while the log is folded. */
  readonly comparing: string | undefined
}

export interface BuildPorts {
  readonly store: EventStore
  readonly runner: Runner
  readonly ports: ViewPorts
  readonly pace: Pace
  readonly signal: AbortSignal
  readonly inspect: InspectStream
}

/**
 * @throws when the signal aborts, or an event of a whole stream cannot be folded: the live view is
 *   then as before
 */
export async function rebuildView(
  view: LiveView,
  build: BuildPorts,
  onProgress: (progress: RebuildProgress) => void,
): Promise<RebuildSummary> {
  const summaries = await besideLive([view], build, onProgress, async (built) => {
    const { count: differences } = await compare(view, built, build)
    await foldLog([built], await build.store.lastPosition(), build)
    await built.finish(build.pace)
    const { freed } = await build.runner.betweenDeliveries(() => swap(view, built, build))
    await freed
    return { name: view.name, events: view.file.committed.events, differences }
  })
  return summaries[0] as RebuildSummary
}

/** Folds the beginning of the log beside the live view, and throws away what comes of it. */
export async function tryRebuild(view: LiveView, build: BuildPorts): Promise<RebuildTrial> {
  const beginning = await build.store.readAll({ after: START, limit: TRIAL_EVENTS })
  const last = beginning.findLast(({ position }) => position <= view.position)
  const built = fileBeside(view.file, build.ports)
  try {
    await foldLog([built], last?.position ?? START, build)
    built.commit()
    return { name: view.name, events: view.file.committed.events, tried: built.folded.events }
  } finally {
    await thrownAway(built)
  }
}

/** As {@link rebuildView}, but the live views stay in any case, also where they differ. */
export function compareViews(
  views: readonly LiveView[],
  build: BuildPorts,
  onProgress: (progress: CompareProgress) => void,
  onBatch: FoldLog['onBatch'],
): Promise<readonly ViewComparison[]> {
  const folding = (progress: RebuildProgress) => onProgress({ ...progress, comparing: undefined })
  const first = onBatch === undefined ? build : { ...build, onBatch }
  return besideLive(views, first, folding, async (built, view) => {
    const { name } = view
    const { events } = built.folded
    onProgress({ done: events, total: events, passedOver: 0, comparing: name })
    const differences = await compare(view, built, build)
    return { name, events: built.folded.events, differences }
  })
}

/**
 * @param build its `onBatch` is given the events that all views are folded from
 * @param then what is done with each view that was built, one after the other
 */
async function besideLive<Result>(
  views: readonly LiveView[],
  build: BuildPorts & Pick<FoldLog, 'onBatch'>,
  onProgress: (progress: RebuildProgress) => void,
  then: (built: ViewFile, view: LiveView) => Promise<Result>,
): Promise<readonly Result[]> {
  const files: ViewFile[] = []
  try {
    for (const { file } of views) files.push(fileBeside(file, build.ports))
    const total = Math.min(...views.map(({ file }) => file.committed.events))
    const done = () => Math.min(files[0]?.folded.events ?? total, total)
    const until = lowest(views.map(({ position }) => position))
    let passedOver = 0
    const report = () => onProgress({ done: done(), total, passedOver })
    const onPassedOver = (events: number) => {
      passedOver += events
      report()
    }
    await foldLog(files, until, { ...build, onPassedOver }, report)
    const results: Result[] = []
    for (const [index, view] of views.entries()) {
      const built = files[index]
      if (built !== undefined) results.push(await then(built, view))
    }
    return results
  } finally {
    for (const built of files) await thrownAway(built)
  }
}

async function thrownAway(built: ViewFile): Promise<void> {
  built.close()
  await removeLargeDatabase(built.path)
}

/** Left behind by a crash, it is removed at the next start. */
function fileBeside({ projection, path }: ViewFile, ports: ViewPorts): ViewFile {
  const besidePath = `${path}.rebuild`
  removeDatabase(besidePath)
  return new ViewFile(projection, besidePath, ports)
}

async function compare(view: LiveView, built: ViewFile, build: BuildPorts): Promise<Differences> {
  const snapshot = await build.runner.betweenDeliveries(() => view.file.openSnapshot())
  try {
    await foldLog([built], snapshot.checkpoint.position, build)
    built.commit()
    return await findDifferences(built.projection, snapshot.database, built.database, build)
  } finally {
    snapshot.close()
  }
}

async function swap(
  view: LiveView,
  built: ViewFile,
  build: BuildPorts,
): Promise<{ readonly freed: Promise<void> }> {
  const { runner, signal } = build
  await foldLog([built], runner.delivered, build)
  signal.throwIfAborted()
  const replaced = await view.file.replaceWith(built)
  runner.revive(view)
  return replaced
}
