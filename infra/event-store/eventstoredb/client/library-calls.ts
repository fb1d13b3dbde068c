/** The calls that carry all events, as the client of the server's makers encodes them. */
import type { EventData, JSONType, ResolvedEvent } from '@eventstore/db-client'
import { START } from '@svc/contracts/ports/event-store'
import { type NewServerEvent, NO_EVENTS, type ServerEvent } from '../messages/server-event.ts'
import type { AppendedAt, PageRequest, RunningRead, StreamCalls } from '../messages/stream-calls.ts'
import type { RetirableClient } from './retirable-client.ts'

/**
 * The client sends the server the time at which an append is given up, by its own clock, and the
 * server refuses what is over by the server's. So it allows for clocks that differ; how long an
 * append takes is bounded by timers of ours, and on the server by one of its own.
 */
const APPEND_DEADLINE_MS = 600_000

export class LibraryCalls implements StreamCalls {
  readonly #client: RetirableClient

  constructor(client: RetirableClient) {
    this.#client = client
  }

  async append(
    stream: string,
    expected: number,
    events: readonly NewServerEvent[],
  ): Promise<AppendedAt> {
    const { nextExpectedRevision, position } = await this.#client.appendToStream(
      stream,
      events.map(toEventData),
      {
        expectedRevision: expected === NO_EVENTS ? 'no_stream' : BigInt(expected),
        requiresLeader: true,
        deadline: APPEND_DEADLINE_MS,
      },
    )
    return { revision: Number(nextExpectedRevision), position: position?.commit }
  }

  read(request: PageRequest, onEvent: (event: ServerEvent) => void): RunningRead {
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
    const read = this.#start(request)
    read.on('data', ({ event }) => {
      if (event !== undefined) onEvent(toServerEvent(event))
    })
    read.on('error', reject)
    read.on('end', resolve)
    // Rejects where the call was never made.
    return { ended, cancel: () => void read.cancel().catch(() => {}) }
  }

  #start(request: PageRequest) {
    const { direction, from, limit } = request
    const edge = direction === 'forwards' ? 'start' : 'end'
    const options = { direction, maxCount: limit, requiresLeader: true } as const
    if ('stream' in request) {
      const fromRevision = from === undefined ? edge : BigInt(from)
      return this.#client.readStream(request.stream, { ...options, fromRevision })
    }
    if (request.streams !== undefined) return this.#client.readFiltered(request)
    const fromPosition =
      request.from === undefined ? edge : { commit: request.from, prepare: request.from }
    return this.#client.readAll({ ...options, fromPosition })
  }
}

/** Nothing is left for the client to serialise that could fail: then its promise never settles. */
function toEventData({ id, type, data, metadata }: NewServerEvent): EventData {
  if (data.kind === 'bytes') {
    return { id, type, metadata, contentType: 'application/octet-stream', data: data.bytes }
  }
  const value = JSON.parse(data.text) as JSONType
  return { id, type, metadata, contentType: 'application/json', data: value }
}

export function toServerEvent(event: NonNullable<ResolvedEvent['event']>): ServerEvent {
  const { streamId, id, type, revision, position, created, data, metadata } = event
  return {
    stream: streamId,
    id,
    type,
    revision: Number(revision),
    // Servers before 22.10 leave it out in a stream; they are refused at the start.
    position: position?.commit ?? START,
    createdMs: created?.getTime(),
    data:
      data instanceof Uint8Array
        ? { kind: 'bytes', bytes: data }
        : { kind: 'json', text: JSON.stringify(data) },
    metadata,
  }
}
