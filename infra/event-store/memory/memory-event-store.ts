/**
 * Events in memory. It exists for two reasons: tests that need no disk, and as the smallest example
 * of an adapter: what is here is what the port asks for, and nothing else.
 */
import { outcomeOfRepeat } from '@svc/contracts/ports/append'
import {
  type AppendOutcome,
  type AppendRequest,
  type EventStore,
  NO_STREAM,
  type Position,
  type ReadAllBackwardsRequest,
  type ReadAllRequest,
  type ReadStreamRequest,
  type RecordedEvent,
  START,
  StoreClosedError,
  type SubscribeRequest,
  type SubscriptionBatch,
} from '@svc/contracts/ports/event-store'
import { verifyChain } from '@svc/contracts/ports/hash-chain'
import { admitAppend, admitReadAll, admitReadStream } from '../admit-append.ts'
import { GrowthSignal, subscribeTo } from '../live-subscription.ts'

/** What outlives a {@link MemoryEventStore}, as a file outlives a process. */
export class MemoryLog {
  /** An event's position is its index here. */
  readonly all: RecordedEvent[] = []
  readonly streams = new Map<string, RecordedEvent[]>()
}

export class MemoryEventStore implements EventStore {
  readonly #log: MemoryLog
  readonly #growth = new GrowthSignal()

  constructor(log: MemoryLog = new MemoryLog()) {
    this.#log = log
  }

  async append(request: AppendRequest): Promise<AppendOutcome> {
    const { events, head } = admitAppend(request)
    this.#checkOpen()
    const { stream, expected } = request
    const written = this.#log.streams.get(stream) ?? []
    const last = written.at(-1) ?? NO_STREAM
    if (last.revision !== expected.revision) {
      const there = written.slice(expected.revision + 1)
      return outcomeOfRepeat(expected, events, there) ?? { kind: 'conflict' }
    }
    if (last.hash !== expected.hash) return { kind: 'conflict' }

    const position = BigInt(this.#log.all.length)
    const recorded = events.map((event, index) => ({
      ...event,
      position: position + BigInt(index),
    }))
    this.#log.all.push(...recorded)
    written.push(...recorded)
    this.#log.streams.set(stream, written)
    this.#growth.notify()
    return { kind: 'appended', head, position: position + BigInt(events.length - 1) }
  }

  async readStream(request: ReadStreamRequest): Promise<readonly RecordedEvent[]> {
    admitReadStream(request)
    this.#checkOpen()
    const events = this.#log.streams.get(request.stream) ?? []
    const forwards = request.direction === 'forwards'
    const from = forwards
      ? (request.from ?? 0)
      : Math.min(request.from ?? events.length, events.length - 1)
    const first = forwards ? from : Math.max(0, from - request.limit + 1)
    const page = events.slice(first, forwards ? from + request.limit : from + 1)
    verifyChain(events[first - 1] ?? NO_STREAM, page)
    return forwards ? page : page.reverse()
  }

  async readAll(request: ReadAllRequest): Promise<readonly RecordedEvent[]> {
    admitReadAll(request)
    this.#checkOpen()
    const first = Number(request.after) + 1
    return this.#log.all.slice(first, first + request.limit)
  }

  async readAllBackwards(request: ReadAllBackwardsRequest): Promise<readonly RecordedEvent[]> {
    admitReadAll(request)
    this.#checkOpen()
    const { from = BigInt(this.#log.all.length), limit } = request
    const end = Number(from) + 1
    return this.#log.all.slice(0, end).slice(-limit).toReversed()
  }

  async eventOf(id: string): Promise<RecordedEvent | undefined> {
    this.#checkOpen()
    return this.#log.all.find((event) => event.id === id)
  }

  async lastPosition(): Promise<Position> {
    this.#checkOpen()
    return this.#log.all.at(-1)?.position ?? START
  }

  subscribe(request: SubscribeRequest): AsyncIterable<SubscriptionBatch> {
    return subscribeTo(this, this.#growth, request)
  }

  async close(): Promise<void> {
    this.#growth.close()
  }

  #checkOpen(): void {
    if (this.#growth.closed) throw new StoreClosedError()
  }
}
