/**
 * The messages of `Read`, for one page. The numbers are those of the fields in the server's
 * `streams.proto`.
 */

import { MessageReader } from './message-reader.ts'
import { MessageWriter } from './message-writer.ts'
import type { ServerReadAll } from './server-calls.ts'
import { type ServerData, type ServerEvent, serverMetadata } from './server-event.ts'
import type { PageRequest } from './stream-calls.ts'

/** An answer that carries no event, such as the one for a stream that is missing. */
export const NO_EVENT_IN_ANSWER = Symbol('an answer without an event')
/** Tells in a watched read that the server has sent all that was there. */
export const CAUGHT_UP = Symbol('no later event was there')

/**
 * Tells in a watched read that the server looked at {@link LOOKED_AT_EVENTS} more events, up to a
 * place.
 */
export interface LookedAt {
  readonly lookedUpTo: bigint
}

export type ReadAnswer = ServerEvent | LookedAt | typeof CAUGHT_UP | typeof NO_EVENT_IN_ANSWER

/** Pages of 32 events after which the server says how far it has looked. */
const PAGES_LOOKED_AT = 10
export const LOOKED_AT_EVENTS = PAGES_LOOKED_AT * 32

const FORWARDS = 0
const BACKWARDS = 1
const JSON_TYPE = 'application/json'
/** Times of the server are in units of 100 ns since 1970: these digits are below 1 ms. */
const SUBMILLISECOND_DIGITS = 4

const NOTHING: Buffer = Buffer.alloc(0)
const NO_FILTER: Pick<ServerReadAll, 'streams' | 'watch'> = {}

const writer = new MessageWriter()

export function readRequest(request: PageRequest): Buffer {
  return writer.message(() =>
    writer.nested(1, () => {
      if ('stream' in request) writer.nested(1, () => writeStreamPlace(request))
      else writer.nested(2, () => writeLogPlace(request))
      writer.uint(3, request.direction === 'forwards' ? FORWARDS : BACKWARDS)
      const { watch, streams: names } = 'stream' in request ? NO_FILTER : request
      // A watched page is a subscription that is ended with the page, because only a subscription
      // says how far it has looked.
      if (watch === undefined) writer.uint(5, request.limit)
      else writer.nested(6)
      if (names === undefined) writer.nested(8)
      else writer.nested(7, () => writeFilter(names, watch === undefined ? 1 : PAGES_LOOKED_AT))
      writer.nested(9, () => writer.nested(2)) // Ids of events come as text.
    }),
  )
}

function writeStreamPlace({ stream, direction, from }: PageRequest & { stream: string }): void {
  writer.nested(1, () => writer.text(3, stream))
  if (from !== undefined) writer.uint(2, Number(from))
  else writer.nested(direction === 'forwards' ? 3 : 4)
}

/** The commit and the prepare position of an event are the same. */
function writeLogPlace({ direction, from }: PageRequest): void {
  if (from === undefined) writer.nested(direction === 'forwards' ? 2 : 3)
  else {
    writer.nested(1, () => {
      writer.uint(1, Number(from))
      writer.uint(2, Number(from))
    })
  }
}

function writeFilter(streams: readonly string[], pagesLookedAt: number): void {
  writer.nested(1, () => {
    for (const prefix of streams) writer.text(2, prefix)
  })
  writer.nested(4) // The page counts what is let through, however much is passed over.
  writer.uint(5, pagesLookedAt)
}

/** @throws {Error} when it is no such message */
export function readAnswer(message: Buffer): ReadAnswer {
  const reader = new MessageReader(message)
  let answer: ReadAnswer | undefined
  while (reader.next()) {
    if (reader.field === 1) answer = readResolvedEvent(reader)
    else if (reader.field === 3) answer = { lookedUpTo: readCommitPosition(reader) }
    else {
      if (reader.field === 8) answer = CAUGHT_UP
      reader.skip()
    }
  }
  return answer ?? NO_EVENT_IN_ANSWER
}

function readCommitPosition(reader: MessageReader): bigint {
  const end = reader.nested()
  let position = 0n
  while (reader.next(end)) {
    if (reader.field === 1) position = BigInt(reader.uint())
    else reader.skip()
  }
  return position
}

/** Reads the event. Beside it there is room for a link to it, which we never ask for. */
function readResolvedEvent(reader: MessageReader): ServerEvent | undefined {
  const end = reader.nested()
  let event: ServerEvent | undefined
  while (reader.next(end)) {
    if (reader.field === 1) event = readEvent(reader)
    else reader.skip()
  }
  return event
}

function readEvent(reader: MessageReader): ServerEvent {
  const end = reader.nested()
  const properties: Properties = { type: '', isJson: false, createdMs: undefined }
  let id = ''
  let stream = ''
  let revision = 0
  let position = 0n
  let metadata = NOTHING
  let data = NOTHING
  while (reader.next(end)) {
    switch (reader.field) {
      case 1:
        id = readName(reader, 2)
        break
      case 2:
        stream = readName(reader, 3)
        break
      case 3:
        revision = reader.uint()
        break
      case 5:
        position = BigInt(reader.uint())
        break
      case 6:
        readProperty(reader, properties)
        break
      case 7:
        metadata = reader.bytes()
        break
      case 8:
        data = reader.bytes()
        break
      default:
        reader.skip()
    }
  }
  const { type, isJson, createdMs } = properties
  return {
    stream,
    id,
    type,
    revision,
    position,
    createdMs,
    data: dataOf(data, isJson),
    metadata: serverMetadata(metadata),
  }
}

interface Properties {
  type: string
  isJson: boolean
  createdMs: number | undefined
}

/** An entry of a map: its key, and then its value. */
function readProperty(reader: MessageReader, properties: Properties): void {
  const end = reader.nested()
  let key = ''
  let value = ''
  while (reader.next(end)) {
    if (reader.field === 1) key = reader.text()
    else if (reader.field === 2) value = reader.text()
    else reader.skip()
  }
  if (key === 'type') properties.type = value
  else if (key === 'content-type') properties.isJson = value === JSON_TYPE
  else if (key === 'created') properties.createdMs = Number(value.slice(0, -SUBMILLISECOND_DIGITS))
}

function dataOf(bytes: Buffer, isJson: boolean): ServerData {
  return isJson ? { kind: 'json', text: bytes.toString('utf8') } : { kind: 'bytes', bytes }
}

/** The text in one field of the message that is the value. */
function readName(reader: MessageReader, field: number): string {
  const end = reader.nested()
  let name = ''
  while (reader.next(end)) {
    if (reader.field === field) name = reader.text()
    else reader.skip()
  }
  return name
}
