/** Events, appends and reads that the parts of the compliance suite share. */
import { randomUUID } from 'node:crypto'
import {
  type AppendOutcome,
  type EventStore,
  type NewEvent,
  NO_STREAM,
  type Position,
  type RecordedEvent,
  START,
  type StreamHead,
} from '@svc/contracts/ports/event-store'

/** The durable state that stores are opened over, one after the other. It is empty at first. */
export interface DurableState {
  open(): Promise<EventStore>
  /**
   * Changes the data of a stored event behind the back of the store, which is closed. Left out
   * where an adapter's tests cannot do it.
   */
  readonly tamper?: (stream: string, revision: number) => Promise<void>
  /** Removes the state. Every store over it is closed. */
  remove(): Promise<void>
}

/** A store that each test gets fresh, and closes behind itself. */
export interface Bench {
  readonly store: EventStore
  /** Closes the store and opens another over the same state. */
  reopen(): Promise<EventStore>
  readonly tamper: DurableState['tamper']
}

export type GetBench = () => Bench

export function newEvent(data: string = JSON.stringify({ made: randomUUID() })): NewEvent {
  return { id: randomUUID(), type: 'Noted', data, metadata: '{"schemaVersion":1}' }
}

export function newEvents(count: number): NewEvent[] {
  return Array.from({ length: count }, () => newEvent())
}

export type Appended = Extract<AppendOutcome, { kind: 'appended' }>

/** Appends, and fails the test when that is not possible. */
export async function mustAppend(
  store: EventStore,
  stream: string,
  expected: StreamHead,
  events: readonly NewEvent[],
): Promise<Appended> {
  const outcome = await store.append({ stream, expected, events })
  if (outcome.kind !== 'appended') throw new Error(`append to ${stream}: ${outcome.kind}`)
  return outcome
}

/** Sends one append after the other, each of `batch` events. @returns the head */
export async function fillStream(
  store: EventStore,
  stream: string,
  count: number,
  { from = NO_STREAM, batch = 100 }: { from?: StreamHead; batch?: number } = {},
): Promise<StreamHead> {
  let head = from
  for (let written = 0; written < count; written += batch) {
    const events = newEvents(Math.min(batch, count - written))
    head = (await mustAppend(store, stream, head, events)).head
  }
  return head
}

export async function readWholeStream(
  store: EventStore,
  stream: string,
): Promise<readonly RecordedEvent[]> {
  return store.readStream({ stream, direction: 'forwards', limit: 10_000 })
}

export async function readWholeLog(
  store: EventStore,
  after: Position = START,
): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = []
  for (let position = after; ; ) {
    const page = await store.readAll({ after: position, limit: 500 })
    const last = page.at(-1)
    if (last === undefined) return events
    events.push(...page)
    position = last.position
  }
}

export const idsOf = (events: readonly { readonly id: string }[]): string[] =>
  events.map(({ id }) => id)
