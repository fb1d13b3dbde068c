/** Reads of a stream and of `$all`, in both directions, as far as the client takes events in. */
import { streamDeleted } from './append-answers.ts'
import type { EventLog } from './event-log.ts'
import { type GrpcCall, status } from './grpc-call.ts'
import { streamNotFound } from './read-answers.ts'
import type { ReadRequest } from './read-request.ts'
import type { StoredEvent } from './stored-event.ts'

/** How much is handed to the connection before its backpressure is asked. */
export const SEND_BYTES = 32 * 1024

export async function serveRead(
  call: GrpcCall,
  request: ReadRequest,
  log: EventLog,
  insideRecordCode: number,
): Promise<void> {
  if (request.count <= 0) {
    return call.finish({ code: status.invalidArgument, message: 'The count must be positive.' })
  }
  if (request.stream === undefined) return readAll(call, request, log, insideRecordCode)
  const stream = log.stream(request.stream)
  if (stream.isTombstoned) return call.finish(streamDeleted(stream.name))
  const last = lastReadable(stream.events, log.readableCount)
  if (last < 0 || stream.isSoftDeleted) return call.answer(streamNotFound(stream.name))
  const from = edge(request.from, last)
  if (request.direction === 'forwards') {
    const first = Math.max(from, stream.firstReadable)
    return send(call, stream.events, first, Math.min(last + 1, first + request.count))
  }
  const upTo = Math.min(from, last)
  const end = Math.max(stream.firstReadable, upTo - request.count + 1)
  return sendBackwards(call, stream.events, upTo, end)
}

/** Positions are inclusive forwards; backwards they name the end of what is read. */
async function readAll(
  call: GrpcCall,
  request: ReadRequest,
  log: EventLog,
  insideRecordCode: number,
): Promise<void> {
  const readable = log.readableCount
  const index = startIndex(request.from, log)
  if (index === undefined) return call.finish(insideRecord(insideRecordCode))
  const from = Math.min(index, readable)
  if (request.filter !== undefined) return send(call, filtered(request, log, from, readable))
  if (request.direction === 'forwards') {
    return send(call, log.all, from, Math.min(readable, from + request.count))
  }
  return sendBackwards(call, log.all, from - 1, Math.max(0, from - request.count))
}

/** The count is of those that the filter lets through; others are passed over without a word. */
function filtered(
  { filter, direction, count }: ReadRequest,
  log: EventLog,
  from: number,
  readable: number,
): readonly StoredEvent[] {
  const isForwards = direction === 'forwards'
  const asked = isForwards ? log.all.slice(from, readable) : log.all.slice(0, from).reverse()
  return asked.filter((event) => filter?.lets(event)).slice(0, count)
}

/** How many events stand before a starting point; undefined inside a record. */
export function startIndex(from: ReadRequest['from'], log: EventLog): number | undefined {
  if (from === 'start') return 0
  return from === 'end' ? log.readableCount : log.indexAt(from)
}

export function insideRecord(code: number): { readonly code: number; readonly message: string } {
  return { code, message: 'Unexpected ReadAllResult: Error. Error Message: position in a record' }
}

/** The last revision whose event reads may see; -1 for none. */
function lastReadable(events: readonly StoredEvent[], readable: number): number {
  let last = events.length - 1
  while (last >= 0 && (events[last]?.index ?? 0) >= readable) last -= 1
  return last
}

function edge(from: ReadRequest['from'], last: number): number {
  if (from === 'start') return 0
  return from === 'end' ? last + 1 : Number(from)
}

async function send(
  call: GrpcCall,
  events: readonly StoredEvent[],
  from = 0,
  end = events.length,
): Promise<void> {
  let unsent = 0
  for (let index = from; index < end && !call.isOver; index += 1) {
    const frame = events[index]?.frame
    if (frame === undefined) break
    call.send(frame)
    unsent += frame.length
    if (unsent < SEND_BYTES) continue
    unsent = 0
    await call.drained()
  }
  call.finish()
}

async function sendBackwards(
  call: GrpcCall,
  events: readonly StoredEvent[],
  from: number,
  last: number,
): Promise<void> {
  const asked = events.slice(last, from + 1).reverse()
  return send(call, asked)
}
