/**
 * One subscription, to `$all` or to a stream: catching up → live → over.
 *
 * It walks a cursor along the log. While it catches up, the client's backpressure sets the pace.
 * Once it has reached the end it is live, and on older servers the log no longer waits: what is
 * committed goes into a buffer, and a client that lets the buffer overflow is dropped. Commits
 * reach the buffer at the pace at which a real server writes them, so that a client which keeps up
 * with that is not dropped for one large append; newer servers just go on at the client's pace.
 */
import { randomUUID } from 'node:crypto'
import { type GrpcCall, status } from './grpc-call.ts'
import type { PausableTimers } from './pausable-timers.ts'
import { CAUGHT_UP, checkpoint, confirmation } from './read-answers.ts'
import type { EventFilter } from './read-request.ts'
import { SEND_BYTES } from './reads.ts'
import type { StoredEvent } from './stored-event.ts'

/** About what a real server commits in a millisecond at its fastest. */
const LIVE_EVENTS_PER_STEP = 32
const LIVE_STEP_MS = 1

const tooSlow = {
  code: status.aborted,
  message:
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
} as const

export interface SubscriptionParts {
  readonly call: GrpcCall
  readonly timers: PausableTimers
  /** What is walked along, and how much of it may be seen. */
  readonly events: readonly StoredEvent[]
  readonly count: () => number
  /** The first event to send. */
  readonly from: number
  /** Events at or before this position are not sent, also when they are yet to be written. */
  readonly after: number
  readonly filter: EventFilter | undefined
  /** Live events that wait for the client at most; null never drops it. */
  readonly liveEventsMax: number | null
  readonly saysCaughtUp: boolean
  readonly isSilenced: () => boolean
}

export class Subscription {
  readonly #parts: SubscriptionParts
  #cursor: number
  #isLive = false
  /** Up to where live events have come into the buffer. */
  #intake = 0
  #buffered = 0
  #isTakingIn = false
  #scanned = 0
  #wake: () => void = () => {}

  constructor(parts: SubscriptionParts) {
    this.#parts = parts
    this.#cursor = parts.from
    parts.call.onClose(() => this.#wake())
  }

  /** There may be something to send. */
  wake(): void {
    if (this.#isLive && !this.#isTakingIn) this.#takeIn()
    this.#wake()
  }

  drop(): void {
    this.#parts.call.finish(tooSlow)
  }

  /** Runs until the call is over. */
  async run(): Promise<void> {
    const { call } = this.#parts
    call.send(confirmation(randomUUID()))
    while (!call.isOver) {
      this.#goLive()
      if (this.#parts.isSilenced() || this.#cursor >= this.#limit()) await this.#woken()
      else await this.#sendSome()
    }
  }

  async #sendSome(): Promise<void> {
    const { call, events } = this.#parts
    const limit = this.#limit()
    let unsent = 0
    while (this.#cursor < limit && unsent < SEND_BYTES) {
      const event = events[this.#cursor]
      this.#cursor += 1
      if (event !== undefined) unsent += this.#pass(event)
    }
    await call.drained()
  }

  /** @returns how many bytes were sent */
  #pass(event: StoredEvent): number {
    const { call, filter } = this.#parts
    let bytes = 0
    if (this.#lets(event)) {
      call.send(event.frame)
      bytes = event.frame.length
      if (this.#isLive) this.#buffered -= 1
    }
    this.#scanned += 1
    if (filter !== undefined && this.#scanned % filter.checkpointEvents === 0) {
      call.send(checkpoint(event))
    }
    return bytes
  }

  #goLive(): void {
    const { call, count, saysCaughtUp, isSilenced } = this.#parts
    if (this.#isLive || this.#cursor < count() || isSilenced()) return
    this.#isLive = true
    this.#intake = this.#cursor
    if (saysCaughtUp) call.send(CAUGHT_UP)
  }

  #limit(): number {
    const { count, liveEventsMax } = this.#parts
    return this.#isLive && liveEventsMax !== null ? this.#intake : count()
  }

  /** Takes committed events into the buffer, and drops the client when it does not empty it. */
  #takeIn(): void {
    const { call, count, events, isSilenced, liveEventsMax, timers } = this.#parts
    this.#isTakingIn = false
    if (liveEventsMax === null || call.isOver || isSilenced()) return
    const end = Math.min(count(), this.#intake + LIVE_EVENTS_PER_STEP)
    for (; this.#intake < end; this.#intake += 1) {
      const event = events[this.#intake]
      if (event !== undefined && this.#lets(event)) this.#buffered += 1
    }
    if (this.#buffered > liveEventsMax) {
      this.drop()
      return
    }
    this.#isTakingIn = this.#intake < count()
    this.#wake()
    if (this.#isTakingIn) timers.after(LIVE_STEP_MS, () => this.#takeIn())
  }

  #lets(event: StoredEvent): boolean {
    const { after, filter } = this.#parts
    return event.position > after && (filter === undefined || filter.lets(event))
  }

  async #woken(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    if (this.#parts.call.isOver) resolve()
    await promise
  }
}
