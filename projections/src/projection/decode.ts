/**
 * Stored events as the views read them: parsed once for all views, money still as the decimal text
 * that is stored, because most of it is only carried from the log into a row.
 *
 * The schema of the data is not checked again: what an event is made of was, where it came in, and
 * the hash chain proves that nothing changed since. Checking it once more would make a rebuild
 * three times slower.
 */

import { accountOfStream } from '@svc/contracts/events/account'
import type { eventSchemas } from '@svc/contracts/events/codec'
import { readStored } from '@svc/contracts/events/stored-event'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import { causeOf } from '@svc/contracts/ports/quarantine'

type Schemas = typeof eventSchemas
export type StoredEventType = keyof Schemas

/** The stored data of an event of this type, in the current schema version. */
export type StoredData<T extends StoredEventType> = Readonly<Schemas[T]['_zod']['input']>

export type StoredEvent = {
  [T in StoredEventType]: { readonly type: T; readonly data: StoredData<T> }
}[StoredEventType]

export interface DecodedEvent {
  readonly recorded: RecordedEvent
  readonly event: StoredEvent
  /** The account of the event's stream; empty for an event that is in no account's stream. */
  readonly accountId: string
}

/** An event that this program cannot read: its stream is set aside from there on. */
export interface UnreadableEvent {
  readonly recorded: RecordedEvent
  readonly cause: string
}

export interface DecodedBatch {
  /** The events as they are in the log. */
  readonly recorded: readonly RecordedEvent[]
  /** The events that can be read. */
  readonly events: readonly DecodedEvent[]
  /** The events that cannot be read. */
  readonly unreadable: readonly UnreadableEvent[]
}

export function decodeBatch(recorded: readonly RecordedEvent[]): DecodedBatch {
  const events: DecodedEvent[] = []
  const unreadable: UnreadableEvent[] = []
  const accountIds = new Map<string, string>()
  for (const event of recorded) {
    const { stream } = event
    let accountId = accountIds.get(stream)
    if (accountId === undefined) {
      accountId = accountOfStream(stream) ?? ''
      accountIds.set(stream, accountId)
    }
    try {
      events.push({ recorded: event, event: decode(event), accountId })
    } catch (error) {
      unreadable.push({ recorded: event, cause: causeOf(event, error) })
    }
  }
  return { recorded, events, unreadable }
}

function decode(event: RecordedEvent): StoredEvent {
  return { type: event.type, data: readStored(event) } as StoredEvent
}
