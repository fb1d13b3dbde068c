/** The events of the log that belong to the feed, in their order, page by page. */
import {
  type EventStore,
  type Position,
  type RecordedEvent,
  START,
} from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import { feedKey } from './feed-record.ts'

const PAGE_EVENTS = 500

export interface FeedEventsPorts {
  readonly store: Pick<EventStore, 'readAll'>
  readonly pace: Pace
}

export interface FeedRange {
  /** The last event that is looked at: what is behind it may be on its way still. */
  readonly upTo: Position
  readonly signal: AbortSignal
  /** The first position that is looked at. Default: the first. */
  readonly from?: Position
}

export interface FeedEvent {
  readonly key: string
  readonly event: RecordedEvent
}

/**
 * Without `upTo` it goes to where the log ends when it is there.
 *
 * @throws the reason of the signal
 */
export async function* feedEvents(
  { store, pace }: FeedEventsPorts,
  { from = START, upTo, signal }: Partial<FeedRange> & Pick<FeedRange, 'signal'>,
): AsyncGenerator<FeedEvent> {
  for (let after = from > START ? from - 1n : START; upTo === undefined || after < upTo; ) {
    const page = await pace.step(() => store.readAll({ after, limit: PAGE_EVENTS }))
    const last = page.at(-1)
    if (last === undefined) return
    for (const event of page) {
      signal.throwIfAborted()
      const key = feedKey(event.stream)
      const isInRange = upTo === undefined || event.position <= upTo
      if (key !== undefined && isInRange) yield { key, event }
    }
    after = last.position
  }
}
