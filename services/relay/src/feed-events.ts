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
}

export interface FeedEvent {
  readonly key: string
  readonly event: RecordedEvent
}

/** @throws the reason of the signal */
export async function* feedEvents(
  { store, pace }: FeedEventsPorts,
  { upTo, signal }: FeedRange,
): AsyncGenerator<FeedEvent> {
  for (let after = START; after < upTo; ) {
    const page = await pace.step(() => store.readAll({ after, limit: PAGE_EVENTS }))
    const last = page.at(-1)
    if (last === undefined) return
    for (const event of page) {
      signal.throwIfAborted()
      const key = feedKey(event.stream)
      if (key !== undefined && event.position <= upTo) yield { key, event }
    }
    after = last.position
  }
}
