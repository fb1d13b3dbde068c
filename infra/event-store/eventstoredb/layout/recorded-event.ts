/**
 * How an event of ours is laid out on the server, and back.
 *
 *     stream     prefix + our stream
 *     event id   a UUID made of our hash, so that it covers the content and all history before it
 *     data       our text, as JSON where that gives the same text back, else as bytes
 *     metadata   JSON: our id, hash and metadata text, and the ids that the server's tools know
 *
 * Why the hash and not our id: two processes can decide the same end of a request at the same
 * revision, with the same ids and other bytes, such as the time. By our ids the server would call
 * the second a repetition of the first and drop its bytes without a word, and from then on that
 * process would chain its events to a hash that the log does not have. By the hash it is refused.
 */
import { type NewEvent, NO_STREAM, type RecordedEvent } from '@svc/contracts/ports/event-store'
import type { SealedEvent } from '@svc/contracts/ports/hash-chain'
import type { NewServerEvent, ServerData, ServerEvent } from '../messages/server-event.ts'

const utf8 = new TextEncoder()

export function toServerEvent(event: SealedEvent): NewServerEvent {
  const { id, type, data, metadata, hash } = event
  const links = linksOf(metadata)
  return {
    id: uuidOf(hash),
    type,
    data: toServerData(data),
    metadata: utf8.encode(JSON.stringify({ ...links, id, hash, metadata })),
  }
}

/**
 * Reads an event of the server. This never fails, so that an event that somebody else wrote cannot
 * hide those behind it: that one keeps its bytes and gets a hash which no chain contains.
 */
export function fromServerEvent(event: ServerEvent, stream: string): RecordedEvent {
  const { type, revision, position } = event
  const data = textOf(event.data)
  return {
    ...(ownFields(event.metadata) ?? foreignFields(event)),
    type,
    data,
    stream,
    revision,
    position,
  }
}

/** A UUID of version 8: 122 bits of a SHA-256 in hex. */
export function uuidOf(hash: string): string {
  const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-')
}

/** Clients, the library among them, read JSON and write it anew: it must be the same text then. */
function toServerData(text: string): ServerData {
  try {
    if (JSON.stringify(JSON.parse(text)) === text) return { kind: 'json', text }
  } catch {
    // The text is no JSON, and bytes keep any text.
  }
  return { kind: 'bytes', bytes: utf8.encode(text) }
}

function textOf(data: ServerData): string {
  return data.kind === 'json' ? data.text : utf8Text(data.bytes)
}

function utf8Text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

type OwnFields = Pick<RecordedEvent, 'id' | 'hash' | 'metadata'>

function ownFields(value: unknown): OwnFields | undefined {
  if (!isObject(value)) return undefined
  const { id, hash, metadata } = value
  const isOurs = typeof id === 'string' && typeof hash === 'string' && typeof metadata === 'string'
  return isOurs ? { id, hash, metadata } : undefined
}

function foreignFields({ id, metadata }: ServerEvent): OwnFields {
  const text =
    metadata instanceof Uint8Array ? utf8Text(metadata) : JSON.stringify(metadata ?? null)
  return { id, hash: NO_STREAM.hash, metadata: text }
}

/** The server's own tools follow these two names from event to event. */
function linksOf(metadata: NewEvent['metadata']): Record<string, string> {
  const links: Record<string, string> = {}
  const value = parsed(metadata)
  if (!isObject(value)) return links
  const { correlationId, causationId } = value
  if (typeof correlationId === 'string') links.$correlationId = correlationId
  if (typeof causationId === 'string') links.$causationId = causationId
  return links
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
