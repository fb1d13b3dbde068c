/**
 * Stored events as the views read them: parsed once for all views, money still as the decimal text
 * that is stored, because most of it is only carried from the log into a row.
 *
 * The schema of the data is not checked again: what an event is made of was, where it came in, and
 * the hash chain proves that nothing changed since. Checking it once more would make a rebuild
 * three times slower.
 */

import { accountOfStream } from '@svc/contracts/events/account'
import { eventSchemas } from '@svc/contracts/events/codec'
import { upcast } from '@svc/contracts/events/upcast'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'

type Schemas = typeof eventSchemas
export type StoredEventType = keyof Schemas

/** What an event's type says that its stored data is, in the current schema version. */
export type StoredData<T extends StoredEventType> = Readonly<Schemas[T]['_zod']['input']>

export type StoredEvent = {
  [T in StoredEventType]: { readonly type: T; readonly data: StoredData<T> }
}[StoredEventType]

export interface DecodedEvent {
  readonly recorded: RecordedEvent
  readonly event: StoredEvent
  /** Empty for an event that is in no account's stream. */
  readonly accountId: string
}

/** An event that this program cannot read: no view goes past it, because it may be about money. */
class UnreadableEventError extends Error {
  override readonly name = 'UnreadableEventError'

  constructor({ type, stream, revision, position }: RecordedEvent, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(`event ${type} at position ${position} (${stream}, revision ${revision}): ${why}`, {
      cause,
    })
  }
}

export interface DecodedBatch {
  /** All events, or those before the unreadable one. */
  readonly events: readonly DecodedEvent[]
  readonly unreadable: UnreadableEventError | undefined
}

export function decodeBatch(batch: readonly RecordedEvent[]): DecodedBatch {
  const events: DecodedEvent[] = []
  const accountIds = new Map<string, string>()
  for (const recorded of batch) {
    try {
      const { stream } = recorded
      let accountId = accountIds.get(stream)
      if (accountId === undefined) {
        accountId = accountOfStream(stream) ?? ''
        accountIds.set(stream, accountId)
      }
      events.push({ recorded, event: decode(recorded), accountId })
    } catch (cause) {
      return { events, unreadable: new UnreadableEventError(recorded, cause) }
    }
  }
  return { events, unreadable: undefined }
}

function decode({ type, data, metadata }: RecordedEvent): StoredEvent {
  if (!(type in eventSchemas)) {
    throw new RangeError(`its type is unknown to this program: update the program`)
  }
  return { type, data: upcast(type, schemaVersionOf(metadata), JSON.parse(data)) } as StoredEvent
}

/** Within JSON text a quote that belongs to a value is escaped: only the name itself can match. */
const SCHEMA_VERSION = /"schemaVersion":(\d{1,6})/

function schemaVersionOf(metadata: string): number {
  const version = SCHEMA_VERSION.exec(metadata)?.[1]
  if (version === undefined) throw new RangeError('its metadata name no schema version')
  return Number(version)
}
