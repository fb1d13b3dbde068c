/**
 * Counts the events of the log that each view lacks. Positions do not tell it everywhere: in an
 * EventStoreDB they are bytes of its files, and events of others lie between ours.
 *
 * All views follow the same log and count the events in their rows. What a view lacks of the
 * furthest one is the difference of their counts; what that one lacks of the log is counted there.
 */
import {
  type EventStore,
  type Position,
  StoreUnavailableError,
} from '@svc/contracts/ports/event-store'
import type { ProjectionDetails } from '@svc/projections/projection-status'

/** This many are counted while no view is at the end of the log: some 50 ms of an EventStoreDB. */
const COUNTED_MAX = 1_000

type View = Pick<ProjectionDetails, 'position' | 'head' | 'events' | 'state'>

export interface BehindEvents {
  readonly count: number
  /** False: there are at least `count`. */
  readonly isExact: boolean
}

export interface CountedLog {
  readonly store: Pick<EventStore, 'readAll'>
  /** Whether every position has an event, so that none has to be read to be counted. */
  readonly densePositions: boolean
}

/** @returns in the order of the views, which are as they stood at one moment */
export async function behindEvents(
  log: CountedLog,
  views: readonly View[],
): Promise<readonly BehindEvents[]> {
  // The rows of one that failed may be of another log.
  const followed = views.filter(({ state }) => state !== 'failed')
  const [furthest] = (followed.length > 0 ? followed : views).toSorted(
    (one, other) => other.events - one.events,
  )
  if (furthest === undefined) return []
  const rest = await eventsBetween(log, furthest.position, furthest.head)
  return views.map(({ position, head, events }) =>
    position >= head
      ? { count: 0, isExact: true }
      : { ...rest, count: Math.max(0, furthest.events - events) + rest.count },
  )
}

/** Counts the events behind a position, up to another. */
async function eventsBetween(
  { store, densePositions }: CountedLog,
  after: Position,
  upTo: Position,
): Promise<BehindEvents> {
  if (after >= upTo) return { count: 0, isExact: true }
  if (densePositions) return { count: Number(upTo - after), isExact: true }
  try {
    const page = await store.readAll({ after, limit: COUNTED_MAX })
    const count = page.filter(({ position }) => position <= upTo).length
    return { count, isExact: page.length < COUNTED_MAX || count < page.length }
  } catch (error) {
    if (error instanceof StoreUnavailableError) return { count: 0, isExact: false }
    throw error
  }
}
