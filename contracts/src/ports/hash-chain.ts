/**
 * A chain of SHA-256 over each stream: an event's hash covers the hash before it, so that any edit,
 * removal, insertion or swap in history is found by anyone who knows the last hash.
 *
 *     hash = SHA-256( JSON [ previous hash, stream, revision, id, type, data, metadata ] )
 *
 * Data and metadata go in as the exact text that is stored: nothing is parsed or normalised, so a
 * verifier needs no schema.
 */
import { hash } from 'node:crypto'
import { bytesOfEvents } from './append.ts'
import {
  APPEND_BYTES_MAX,
  APPEND_EVENTS_MAX,
  type AppendRequest,
  BrokenChainError,
  type NewEvent,
  type RecordedEvent,
  type StreamHead,
} from './event-store.ts'

export type SealedEvent = Omit<RecordedEvent, 'position'>

export interface SealedAppend {
  readonly events: readonly SealedEvent[]
  /** UTF-8 bytes of their data and metadata. */
  readonly bytes: number
  /** The head of the stream once these events are written. */
  readonly head: StreamHead
}

/**
 * Gives the events of an append their revisions and hashes.
 *
 * @throws {RangeError} when the append is empty, too large, or names an id twice
 */
export function seal(request: AppendRequest): SealedAppend {
  const bytes = checkedBytes(request.events)
  const events = chained(request.expected, request.stream, request.events)
  const { revision, hash: link } = events.at(-1) as SealedEvent
  return { events, bytes, head: { revision, hash: link } }
}

/** Gives events their revisions and hashes, on top of a head. */
export function chained(
  previous: StreamHead,
  stream: string,
  events: readonly NewEvent[],
): readonly SealedEvent[] {
  let { revision, hash: link } = previous
  return events.map(({ id, type, data, metadata }): SealedEvent => {
    revision += 1
    const event = { stream, revision, id, type, data, metadata, hash: '' }
    link = linkOf(link, event)
    event.hash = link
    return event
  })
}

/**
 * Follows the chain over consecutive events of one stream, oldest first.
 *
 * @param previous the head before the first event
 * @returns the head after the last event
 * @throws {BrokenChainError} at the first event that does not fit
 */
export function verifyChain(previous: StreamHead, events: readonly SealedEvent[]): StreamHead {
  let head = previous
  for (const event of events) {
    const revision = head.revision + 1
    if (event.revision !== revision || event.hash !== linkOf(head.hash, event)) {
      throw new BrokenChainError(event.stream, revision)
    }
    head = { revision, hash: event.hash }
  }
  return head
}

/** The text that an event's hash is made of: its canonical bytes, in UTF-8. */
export function linkText(previous: string, event: Omit<SealedEvent, 'hash'>): string {
  const { stream, revision, id, type, data, metadata } = event
  return JSON.stringify([previous, stream, revision, id, type, data, metadata])
}

function linkOf(previous: string, event: Omit<SealedEvent, 'hash'>): string {
  return hash('sha256', linkText(previous, event), 'hex')
}

/** @throws {RangeError} when a bound of an append is broken */
function checkedBytes(events: readonly NewEvent[]): number {
  if (events.length === 0) throw new RangeError('an append needs at least one event')
  if (events.length > APPEND_EVENTS_MAX) {
    throw new RangeError(`an append holds at most ${APPEND_EVENTS_MAX} events`)
  }
  const bytes = bytesOfEvents(events)
  if (bytes > APPEND_BYTES_MAX) {
    throw new RangeError(`the events of an append hold at most ${APPEND_BYTES_MAX} bytes`)
  }
  if (new Set(events.map(({ id }) => id)).size !== events.length) {
    throw new RangeError('the events of an append need distinct ids')
  }
  return bytes
}
