/**
 * A store on a network, whose outages its callers do not see as long as they are short: a leader
 * that dies is followed by the next within seconds, and until then a request waits.
 *
 *     call ── answered ──▶ its outcome
 *       │ └── refused by a server that answers ──▶ its error
 *       └──── no server answers ──▶ pause ──▶ the same call again … for a bounded time
 *
 * Only what decides something waits: reads of one stream, and appends of which nothing was sent.
 * An append whose outcome is not known is told as such at once: what is to be done about it is for
 * the caller to decide. What follows the whole log waits for the store by itself, and whoever asks
 * where the log ends wants to know whether the store answers. Not so while a process starts: nobody
 * asks it anything yet, and a start that is given up helps nobody, so there every read waits.
 */
import { Backoff } from '@svc/contracts/ports/backoff'
import {
  type AppendOutcome,
  type AppendRequest,
  type EventStore,
  type Position,
  type ReadAllBackwardsRequest,
  type ReadAllRequest,
  type ReadStreamRequest,
  type RecordedEvent,
  StoreAwayError,
  type SubscribeRequest,
  type SubscriptionBatch,
} from '@svc/contracts/ports/event-store'
import type { Timer } from '@svc/contracts/ports/time'

/**
 * How long a call waits for a server, in milliseconds. The servers of a cluster need 0.4 to 3
 * seconds to follow a leader that died, and 8 to 12 to give up one that hangs.
 */
const OUTAGE_MS_MAX = 10_000
/** The pauses between two tries. */
const PAUSES = { firstMs: 50, longestMs: 500 }

export class OutageWaitingStore implements EventStore {
  readonly #store: EventStore
  readonly #timer: Timer
  readonly #closing = new AbortController()
  #isStarting: boolean

  /** @param isStarting until {@link started} is called, every read waits */
  constructor(store: EventStore, timer: Timer, isStarting = false) {
    this.#store = store
    this.#timer = timer
    this.#isStarting = isStarting
  }

  /** Ends the start: from then on reads of the whole log do not wait for a server. Idempotent. */
  started(): void {
    this.#isStarting = false
  }

  append(request: AppendRequest): Promise<AppendOutcome> {
    return this.#waiting(() => this.#store.append(request))
  }

  readStream(request: ReadStreamRequest): Promise<readonly RecordedEvent[]> {
    return this.#waiting(() => this.#store.readStream(request))
  }

  readAll(request: ReadAllRequest): Promise<readonly RecordedEvent[]> {
    const read = () => this.#store.readAll(request)
    return this.#isStarting ? this.#waiting(read) : read()
  }

  readAllBackwards(request: ReadAllBackwardsRequest): Promise<readonly RecordedEvent[]> {
    const read = () => this.#store.readAllBackwards(request)
    return this.#isStarting ? this.#waiting(read) : read()
  }

  lastPosition(): Promise<Position> {
    const read = () => this.#store.lastPosition()
    return this.#isStarting ? this.#waiting(read) : read()
  }

  subscribe(request: SubscribeRequest): AsyncIterable<SubscriptionBatch> {
    return this.#store.subscribe(request)
  }

  /** Nobody waits any longer. */
  close(): Promise<void> {
    this.#closing.abort()
    return this.#store.close()
  }

  async #waiting<Result>(call: () => Promise<Result>): Promise<Result> {
    const { signal } = this.#closing
    const backoff = new Backoff(this.#timer, PAUSES)
    let isOver = false
    let cancelBound: (() => void) | undefined
    try {
      for (;;) {
        try {
          return await call()
        } catch (error) {
          if (isOver || signal.aborted || !(error instanceof StoreAwayError)) throw error
        }
        cancelBound ??= this.#timer.after(OUTAGE_MS_MAX, () => {
          isOver = true
        })
        await backoff.pause(signal)
      }
    } finally {
      cancelBound?.()
    }
  }
}
