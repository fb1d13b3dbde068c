/** Views that were made from another log than the one that is there now. */
import { eventAt } from '@svc/contracts/ports/event-at'
import {
  type EventStore,
  type Position,
  PositionBeyondEndError,
  START,
} from '@svc/contracts/ports/event-store'
import type { LiveView } from './live-view.ts'
import type { ProjectionLog } from './projection-log.ts'

/**
 * What becomes of a view that has seen more than the log holds.
 *
 *     rebuild  a file was restored from a backup, and a server starts on it: the view is rebuilt
 *     refuse   a server of events may only not have found all of its log yet, after a crash, or
 *              have been put back by mistake: nothing is thrown away, and the views stand still
 *              until the log has what they have seen
 *     leave    somebody only looks: nothing is thrown away, and the view answers nothing
 */
export type OlderLogRule = 'rebuild' | 'refuse' | 'leave'

/** A view has seen an event that the log does not hold, or does not hold yet. */
export class OlderLogError extends Error {
  override readonly name = 'OlderLogError'

  constructor(view: string, seen: Position, last: Position) {
    super(
      `the view ${view} has seen position ${seen} of this event log, which does not hold it ` +
        `(its last position is ${last}): it is an older copy, or is not all there yet`,
    )
  }
}

/**
 * A checkpoint must name an event of this very log. One that does not comes from another log, or
 * from the time before a backup was restored: then all rows are in doubt.
 *
 * @throws {OlderLogError} when the log is an older one and the rule for these is to refuse
 */
export async function resetForeignViews(
  views: readonly LiveView[],
  store: EventStore,
  log: ProjectionLog,
  olderLog: OlderLogRule,
): Promise<void> {
  const last = await store.lastPosition()
  for (const view of views) view.state = view.position < last ? 'catching-up' : 'live'
  for (const view of views) {
    const why = await foreignness(view, store, last, olderLog)
    if (why === undefined) continue
    if (olderLog === 'leave') {
      view.leaveAside(`${why}: the next svc start builds the view anew`)
      continue
    }
    log.warn({ view: view.name, reason: why }, 'view is of another event log, rebuilding')
    view.file.reset()
    view.state = 'catching-up'
  }
}

/** @returns why the view is not of this log; undefined when it is */
async function foreignness(
  { name, file }: LiveView,
  store: EventStore,
  last: Position,
  olderLog: OlderLogRule,
): Promise<string | undefined> {
  const { position, stream, revision, hash } = file.folded
  if (position === START) return undefined
  const event = await eventAt(store, { stream, revision })
  // If only this stream is damaged, svc verify names it, and the rows of all others stand.
  if (event === 'damaged' && position <= last) return undefined
  const found = event === 'damaged' ? undefined : event
  if (found?.position === position && found.hash === hash) return undefined
  if (found === undefined && olderLog === 'refuse') throw new OlderLogError(name, position, last)
  return position > last
    ? new PositionBeyondEndError(position, last).message
    : `the event log holds another event at position ${position} than the view has seen`
}
