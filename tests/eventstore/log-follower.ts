/**
 * Follows a log for as long as a test runs, and keeps of it what tells every gap, every event that
 * came twice and every disorder: a count and a hash over all ids and positions in their order.
 */
import { createHash, type Hash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type EventStore,
  type Position,
  type RecordedEvent,
  START,
} from '@svc/contracts/ports/event-store'

const BATCH_EVENTS = 500
const RESUME_MS = 20

export class LogDigest {
  count = 0
  #hash: Hash = createHash('sha256')

  take(events: readonly RecordedEvent[]): void {
    for (const { id, position, stream, revision } of events) {
      this.#hash.update(`${position} ${id} ${stream} ${revision}\n`)
    }
    this.count += events.length
  }

  toString(): string {
    return `${this.count} events, sha-256 ${this.#hash.copy().digest('hex')}`
  }
}

export class LogFollower {
  readonly seen = new LogDigest()
  /** How often the subscription ended and was made again, as the views do. */
  interruptions = 0
  #position: Position = START
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>

  constructor(store: EventStore) {
    this.#running = this.#run(store)
  }

  get position(): Position {
    return this.#position
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(store: EventStore): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        const request = { after: this.#position, batchSize: BATCH_EVENTS, signal }
        for await (const { events } of store.subscribe(request)) {
          this.seen.take(events)
          this.#position = events.at(-1)?.position ?? this.#position
        }
      } catch {
        this.interruptions += 1
        await delay(RESUME_MS)
      }
    }
  }
}
