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
 * untouched. A comparison ends behind the second step.
 */
import { type EventStore, type Position, START } from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import { decodeBatch } from '../projection/decode.ts'
import { countDifferences } from './compare.ts'
import type { LiveView } from './live-view.ts'
import { BATCH_EVENTS, COMMIT_EVENTS, type Runner } from './runner.ts'
import { removeDatabase, removeLargeDatabase } from './view-database.ts'
import { ViewFile, type ViewPorts } from './view-file.ts'

export interface RebuildProgress {
  /** Events folded. */
  readonly done: number
  /** Events to fold until the comparison: fixed at the start. */
  readonly total: number
}

export interface RebuildSummary {
  readonly name: string
  readonly events: number
  /** Rows in which the old view and the new one differed. */
  readonly differences: number
}

export interface RebuildRequest {
  readonly view: LiveView
  readonly store: EventStore
  readonly runner: Runner
  readonly ports: ViewPorts
  readonly pace: Pace
  readonly signal: AbortSignal
  readonly onProgress: (progress: RebuildProgress) => void
}

/** @throws when the signal aborts, or an event cannot be folded: the live view is then as before */
export function rebuildView(request: RebuildRequest): Promise<RebuildSummary> {
  return besideLive(request, async (built) => {
    await fold(built, await request.store.lastPosition(), request)
    await built.finish()
    const { freed } = await request.runner.betweenDeliveries(() => swap(built, request))
    await freed
  })
}

/** As {@link rebuildView}, but the live view stays in any case, also where it differs. */
export function compareView(request: RebuildRequest): Promise<RebuildSummary> {
  return besideLive(request, async () => {})
}

/** @param then what is done with the view that was built and compared */
async function besideLive(
  request: RebuildRequest,
  then: (built: ViewFile) => Promise<void>,
): Promise<RebuildSummary> {
  const { view, ports } = request
  const path = rebuildPath(view.file.path)
  removeDatabase(path)
  const built = new ViewFile(view.file.projection, path, ports)
  try {
    const total = view.file.committed.events
    const report = () => {
      request.onProgress({ done: Math.min(built.folded.events, total), total })
    }
    await fold(built, view.position, request, report)
    const differences = await compare(built, request)
    await then(built)
    return { name: view.name, events: view.file.committed.events, differences }
  } finally {
    built.close()
    await removeLargeDatabase(path)
  }
}

/** Left behind by a crash; removed at the next start. */
function rebuildPath(livePath: string): string {
  return `${livePath}.rebuild`
}

async function compare(built: ViewFile, request: RebuildRequest): Promise<number> {
  const { view, runner } = request
  const snapshot = await runner.betweenDeliveries(() => view.file.openSnapshot())
  try {
    await fold(built, snapshot.checkpoint.position, request)
    built.commit()
    return await countDifferences(built.projection, snapshot.database, built.database, request)
  } finally {
    snapshot.close()
  }
}

async function swap(
  built: ViewFile,
  request: RebuildRequest,
): Promise<{ readonly freed: Promise<void> }> {
  const { view, runner, signal } = request
  await fold(built, runner.delivered, request)
  signal.throwIfAborted()
  const replaced = await view.file.replaceWith(built)
  runner.revive(view)
  return replaced
}

/** Folds the events up to a position, that one included. */
async function fold(
  built: ViewFile,
  until: Position,
  { store, pace, signal }: RebuildRequest,
  report: () => void = () => {},
): Promise<void> {
  while (until !== START && built.folded.position < until) {
    signal.throwIfAborted()
    const request = { after: built.folded.position, limit: BATCH_EVENTS }
    const page = await pace.step(() => store.readAll(request))
    const batch = page.filter(({ position }) => position <= until)
    if (batch.length === 0) return
    await pace.step(() => {
      const { events, unreadable } = decodeBatch(batch)
      if (unreadable !== undefined) throw unreadable
      built.fold(events)
    })
    report()
    if (built.uncommittedEvents >= COMMIT_EVENTS) await pace.step(() => built.commit())
  }
}
