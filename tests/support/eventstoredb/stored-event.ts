/** An event as the double keeps it: what it is found by, and the bytes that every read sends. */
import { framed } from './grpc-call.ts'
import { bytes, type Fields, message, text, uint } from './protobuf-writer.ts'

/** An event as a client proposed it. */
export interface ProposedEvent {
  /** Lower case, with dashes. */
  readonly id: string
  readonly type: string
  readonly contentType: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
}

export interface StoredEvent {
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly type: string
  /** Where its record begins in the log; a number of bytes, as on the real server. */
  readonly position: number
  /** How many events stand before it in the log. */
  readonly index: number
  /** The answer to a read that holds this event, ready to be sent. */
  readonly frame: Buffer
}

/** Where and when an event is stored. */
export interface StoredPlace
  extends Pick<StoredEvent, 'stream' | 'revision' | 'position' | 'index'> {
  readonly createdMs: number
  /** What readers are told instead of the revision. */
  readonly shownRevision?: bigint | undefined
}

/** The real server counts in steps of 100 nanoseconds. */
const TICKS_PER_MILLISECOND = 10_000

/** About what a record has besides names, data and metadata; it makes the gaps in positions. */
const RECORD_HEAD_BYTES = 96

/** How far the next record's position is. */
export function recordBytes(stream: string, event: ProposedEvent): number {
  const names = Buffer.byteLength(stream) + Buffer.byteLength(event.type)
  return RECORD_HEAD_BYTES + names + event.data.length + event.metadata.length
}

export function storeEvent(event: ProposedEvent, place: StoredPlace): StoredEvent {
  const { stream, revision, position, index } = place
  return {
    stream,
    revision,
    position,
    index,
    id: event.id,
    type: event.type,
    frame: framed(readAnswer(event, place)),
  }
}

function readAnswer(
  event: ProposedEvent,
  { stream, revision, position, createdMs, shownRevision }: StoredPlace,
): Fields {
  const recorded = [
    message(1, text(2, event.id)),
    message(2, streamName(stream)),
    uint(3, shownRevision ?? revision),
    uint(4, position),
    uint(5, position),
    mapEntry('type', event.type),
    mapEntry('content-type', event.contentType),
    mapEntry('created', String(createdMs * TICKS_PER_MILLISECOND)),
    bytes(7, event.metadata),
    bytes(8, event.data),
  ]
  return message(1, message(1, ...recorded), uint(3, position))
}

/** The fields of a stream identifier. */
export function streamName(stream: string): Fields {
  return text(3, stream)
}

function mapEntry(key: string, value: string): Fields {
  return message(6, text(1, key), text(2, value))
}
