/**
 * The messages of `BatchAppend`, the call that carries many appends: each request has an id, which
 * its answer repeats. The numbers are those of the fields in the server's `streams.proto`.
 */

import { AppendRefusedError } from './append-refusal.ts'
import { MessageReader } from './message-reader.ts'
import { MessageWriter } from './message-writer.ts'
import { type NewServerEvent, NO_EVENTS } from './server-event.ts'
import type { AppendedAt } from './stream-calls.ts'

export interface AppendMessage {
  /** The two halves of a UUID: of the call, and of the append within it. */
  readonly callId: number
  readonly appendId: number
  readonly stream: string
  readonly expected: number
  readonly events: readonly NewServerEvent[]
}

export interface AppendAnswer {
  /** The number of the append; 0 when the answer names no append of ours. */
  readonly appendId: number
  readonly result: AppendedAt | AppendRefusedError
}

const writer = new MessageWriter()

/**
 * Writes an append without the time at which the client gives up, because the server would compare
 * it with its own clock. The server has a limit of its own.
 */
export function appendRequest(message: AppendMessage): Buffer {
  const { callId, appendId, stream, expected, events } = message
  return writer.message(() => {
    writer.nested(1, () =>
      writer.nested(1, () => {
        writer.uint(1, callId)
        writer.uint(2, appendId)
      }),
    )
    writer.nested(2, () => {
      writer.nested(1, () => writer.text(3, stream))
      if (expected === NO_EVENTS) writer.nested(3)
      else writer.uint(2, expected)
    })
    for (const event of events) writer.nested(3, () => writeEvent(event))
    writer.uint(4, 1) // No further message belongs to this append.
  })
}

function writeEvent({ id, type, data, metadata }: NewServerEvent): void {
  writer.nested(1, () => writer.text(2, id))
  writeProperty('type', type)
  writer.bytes(3, metadata)
  if (data.kind === 'json') {
    writeProperty('content-type', 'application/json')
    writer.text(4, data.text)
  } else {
    writeProperty('content-type', 'application/octet-stream')
    writer.bytes(4, data.bytes)
  }
}

function writeProperty(key: string, value: string): void {
  writer.nested(2, () => {
    writer.text(1, key)
    writer.text(2, value)
  })
}

/** @throws {Error} when it is no such message */
export function readAppendAnswer(message: Buffer): AppendAnswer {
  const reader = new MessageReader(message)
  let appendId = 0
  let result: AppendAnswer['result'] | undefined
  while (reader.next()) {
    if (reader.field === 1) appendId = readAppendId(reader)
    else if (reader.field === 2) result = readRefusal(reader)
    else if (reader.field === 3) result = readSuccess(reader)
    else reader.skip()
  }
  if (result === undefined) throw new Error('the event store answers an append without a result')
  return { appendId, result }
}

function readAppendId(reader: MessageReader): number {
  const end = reader.nested()
  let id = 0
  while (reader.next(end)) {
    if (reader.field === 1) id = readUint(reader, 2)
    else reader.skip()
  }
  return id
}

function readSuccess(reader: MessageReader): AppendedAt {
  const end = reader.nested()
  let revision = 0
  let position: bigint | undefined
  while (reader.next(end)) {
    if (reader.field === 1) revision = reader.uint()
    else if (reader.field === 3) position = BigInt(readUint(reader, 1))
    else reader.skip()
  }
  return { revision, position }
}

/** A status with one detail, whose type says what is the matter. */
function readRefusal(reader: MessageReader): AppendRefusedError {
  const end = reader.nested()
  let message = ''
  let detail: Detail = { type: '', number: undefined }
  while (reader.next(end)) {
    if (reader.field === 2) message = reader.text()
    else if (reader.field === 3) detail = readDetail(reader)
    else reader.skip()
  }
  const isTooLarge = detail.type.endsWith('.MaximumAppendSizeExceeded')
  return new AppendRefusedError(detail.type, message, isTooLarge ? detail.number : undefined)
}

interface Detail {
  readonly type: string
  /** In its first field. */
  readonly number: number | undefined
}

/** A message within the message, beside the name of its type. */
function readDetail(reader: MessageReader): Detail {
  const end = reader.nested()
  let type = ''
  let detail: Buffer | undefined
  while (reader.next(end)) {
    if (reader.field === 1) type = reader.text()
    else if (reader.field === 2) detail = reader.bytes()
    else reader.skip()
  }
  return { type, number: detail && firstUint(detail) }
}

function firstUint(message: Buffer): number | undefined {
  const reader = new MessageReader(message)
  return reader.next() && reader.field === 1 ? reader.uint() : undefined
}

/** The number in one field of the message that is the value; 0 when it is left out. */
function readUint(reader: MessageReader, field: number): number {
  const end = reader.nested()
  let value = 0
  while (reader.next(end)) {
    if (reader.field === field) value = reader.uint()
    else reader.skip()
  }
  return value
}
