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
import { START } from '@svc/contracts/ports/event-store'
import type { BuildPorts, ViewComparison, ViewsBeside } from '../beside/views-beside.ts'
import { ViewsBesideHere } from '../beside/views-beside-here.ts'
import type { FoldLog } from '../fold-log.ts'
import type { LiveView } from '../live-view.ts'
import { BUILDING_AGAIN, BUILDING_WITHOUT_THREADS } from '../projection-log.ts'
import { lowest } from '../runner.ts'
import { ThreadLostError } from '../threads/running-thread.ts'
import { ThreadedBuild, type ThreadedPorts } from '../threads/threaded-build.ts'

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

/** Tells what a rebuild would have to do. */
export interface RebuildTrial {
  readonly name: string
  /** How many events it would fold, if it began now. */
  readonly events: number
  /** How many events were folded to try it, from the beginning of the log. */
  readonly tried: number
}

export interface CompareProgress extends RebuildProgress {
  /** The view whose rows are being compared; undefined while the log is folded. */
  readonly comparing: string | undefined
}

export interface RebuildPorts extends Omit<ThreadedPorts, 'threads'> {
  /** The threads; undefined where all is built on the thread that serves. */
  readonly threads: ThreadedPorts['threads'] | undefined
}

/** A build that has lost this many threads goes on without. */
const THREADS_LOST_MAX = 2

/**
 * @throws when the signal aborts, or an event of a whole stream cannot be folded: the live view is
 *   then as before
 */
export async function rebuildView(
  view: LiveView,
  build: RebuildPorts,
  onProgress: (progress: RebuildProgress) => void,
): Promise<RebuildSummary> {
  const { name } = view
  const summaries = await besideLive([view], build, { onProgress }, async (beside) => {
    const { differences } = await beside.compare(view)
    await beside.fold({ until: await build.store.lastPosition(), names: [name] })
    await beside.prepare(name)
    const { freed } = await build.runner.betweenDeliveries(() => swap(view, beside, build))
    await freed
    return { name, events: view.file.committed.events, differences: differences.count }
  })
  return summaries[0] as RebuildSummary
}

/** Folds the beginning of the log beside the live view, and throws away what comes of it. */
export async function tryRebuild(view: LiveView, build: BuildPorts): Promise<RebuildTrial> {
  const beginning = await build.store.readAll({ after: START, limit: TRIAL_EVENTS })
  const last = beginning.findLast(({ position }) => position <= view.position)
  const beside = new ViewsBesideHere([view], build)
  let tried = 0
  try {
    const onFolded = ({ events }: { readonly events: number }) => {
      tried = events
    }
    await beside.fold({ until: last?.position ?? START, onFolded })
    return { name: view.name, events: view.file.committed.events, tried }
  } finally {
    await beside.close()
  }
}

/**
 * Compares as {@link rebuildView} does, but the live views stay in any case, also where they
 * differ.
 */
export function compareViews(
  views: readonly LiveView[],
  build: RebuildPorts,
  onProgress: (progress: CompareProgress) => void,
  onBatch: FoldLog['onBatch'],
): Promise<readonly ViewComparison[]> {
  const folding = (progress: RebuildProgress) => onProgress({ ...progress, comparing: undefined })
  const total = fewestEvents(views)
  return besideLive(views, build, { onProgress: folding, onBatch }, (beside, view) => {
    onProgress({ done: total, total, passedOver: 0, comparing: view.name })
    return beside.compare(view)
  })
}

interface Watching {
  readonly onProgress: (progress: RebuildProgress) => void
  /** Is given the events that all views are folded from, once. */
  readonly onBatch?: FoldLog['onBatch']
}

/**
 * @param then what is done with each view that was built, one after the other
 */
async function besideLive<Result>(
  views: readonly LiveView[],
  build: RebuildPorts,
  watching: Watching,
  then: (beside: ViewsBeside, view: LiveView) => Promise<Result>,
): Promise<readonly Result[]> {
  const { threads, log, signal } = build
  const isLong = threads !== undefined && fewestEvents(views) >= threads.longEvents
  if (!isLong) return foldedBeside(views, new ViewsBesideHere(views, build), watching, then)
  for (let lost = 1; ; lost += 1) {
    try {
      const beside = await ThreadedBuild.open(views, { ...build, threads })
      return await foldedBeside(views, beside, watching, then)
    } catch (error) {
      // If somebody was given the events once, they are not given again.
      const isOver = signal.aborted || watching.onBatch !== undefined
      if (!(error instanceof ThreadLostError) || isOver) throw error
      const fields = { views: views.map(({ name }) => name), reason: error.message }
      if (lost < THREADS_LOST_MAX) {
        log.warn(fields, BUILDING_AGAIN)
        continue
      }
      log.warn(fields, BUILDING_WITHOUT_THREADS)
      return foldedBeside(views, new ViewsBesideHere(views, build), watching, then)
    }
  }
}

async function foldedBeside<Result>(
  views: readonly LiveView[],
  beside: ViewsBeside,
  { onProgress, onBatch }: Watching,
  then: (beside: ViewsBeside, view: LiveView) => Promise<Result>,
): Promise<readonly Result[]> {
  const total = fewestEvents(views)
  const folded = new Map(views.map(({ name }) => [name, 0]))
  let passedOver = 0
  const report = () => {
    const done = Math.min(total, ...folded.values())
    onProgress({ done, total, passedOver })
  }
  try {
    await beside.fold({
      until: lowest(views.map(({ position }) => position)),
      onBatch,
      onFolded({ events }, names) {
        for (const name of names) folded.set(name, events)
        report()
      },
      onPassedOver(events) {
        passedOver += events
        report()
      },
    })
    const results: Result[] = []
    for (const view of views) results.push(await then(beside, view))
    return results
  } finally {
    await beside.close()
  }
}

function fewestEvents(views: readonly LiveView[]): number {
  return Math.min(...views.map(({ file }) => file.committed.events))
}

async function swap(
  view: LiveView,
  beside: ViewsBeside,
  { runner, signal }: BuildPorts,
): Promise<{ readonly freed: Promise<void> }> {
  await beside.fold({ until: runner.delivered, names: [view.name] })
  signal.throwIfAborted()
  const replaced = await beside.replace(view)
  runner.revive(view)
  return replaced
}
