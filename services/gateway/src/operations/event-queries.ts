/** Looks into the event log for operators: a page of what is there, or what comes. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventStore, Position, RecordedEvent } from '@svc/contracts/event-store'
import { START } from '@svc/contracts/event-store'
import { eventLine } from './lines.ts'
import type { EventLine } from './operations.ts'

const PAGE_EVENTS = 1_000

export interface EventFilter {
  readonly stream?: string
  readonly type?: string
  readonly after?: string
}

/** The first events behind the position that fit, at most as many as the limit. */
export async function listEvents(
  store: EventStore,
  filter: EventFilter & { readonly limit: number },
): Promise<readonly EventLine[]> {
  const found: EventLine[] = []
  for await (const page of pages(store, filter)) {
    for (const event of page) {
      if (matches(event, filter)) found.push(eventLine(event))
      if (found.length === filter.limit) return found
    }
    await nextTurn()
  }
  return found
}

export async function* tailEvents(
  store: EventStore,
  filter: EventFilter,
  signal: AbortSignal,
): AsyncGenerator<EventLine> {
  const after = filter.after === undefined ? await store.lastPosition() : BigInt(filter.after)
  for await (const { events } of store.subscribe({ after, batchSize: PAGE_EVENTS, signal })) {
    for (const event of events) if (matches(event, filter)) yield eventLine(event)
  }
}

async function* pages(
  store: EventStore,
  { stream, after }: EventFilter,
): AsyncGenerator<readonly RecordedEvent[]> {
  const start = after === undefined ? START : BigInt(after)
  yield* stream === undefined ? pagesOfAll(store, start) : pagesOfStream(store, stream)
}

async function* pagesOfAll(
  store: EventStore,
  start: Position,
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let after = start; ; ) {
    const page = await store.readAll({ after, limit: PAGE_EVENTS })
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = last.position
  }
}

async function* pagesOfStream(
  store: EventStore,
  stream: string,
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let from = 0; ; ) {
    const request = { stream, direction: 'forwards', from, limit: PAGE_EVENTS } as const
    const page = await store.readStream(request)
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    from = last.revision + 1
  }
}

function matches(event: RecordedEvent, { stream, type, after }: EventFilter): boolean {
  return (
    (stream === undefined || event.stream === stream) &&
    (type === undefined || event.type === type) &&
    (after === undefined || event.position > BigInt(after))
  )
}
