/**
 * Sends the events of the ledger to a topic, in the order of the log.
 *
 *     log behind the checkpoint ─▶ delivered (acknowledged) ─▶ looked for ─▶ checkpoint
 *          ▲                                                       │
 *          └── from the last checkpoint again ◀── less is there ◀──┘
 *
 * Every event is in the topic at least once, and the first copies of each account are in order. An
 * acknowledgement alone moves no checkpoint: the topic is asked first whether it holds what was
 * acknowledged. The next delivery is read while one is under way, and nothing beyond it: two
 * deliveries are all the memory that an outage takes, and the log is where the rest waits.
 *
 * What a relay that dies sends again is what it had sent behind its checkpoint: never more records
 * than one delivery holds, because more are not sent before the checkpoint has moved. Several
 * relays on one log only make doubles.
 */

import type { PicoDollars } from '@svc/contracts/money'
import { Backoff } from '@svc/contracts/ports/backoff'
import {
  type Bus,
  BusRewoundError,
  type BusTopic,
  MAX_DELIVERY_RECORDS,
  type TopicPlan,
} from '@svc/contracts/ports/bus'
import {
  type EventStore,
  type Position,
  type RecordedEvent,
  START,
} from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import { type Clock, pause, type Timer } from '@svc/contracts/ports/time'
import { within } from '@svc/contracts/ports/within'
import { checkFeed, type FeedCheckOptions, type FeedCheckResult } from './feed-check.ts'
import { checkSameLog, type FeedCheckpoints } from './feed-checkpoint.ts'
import { FeedProgress } from './feed-progress.ts'
import { feedRecord } from './feed-record.ts'
import { type FeedResendOptions, resendFeed } from './feed-resend.ts'
import { PAGE_EVENTS, PendingDelivery, SAVE_AT_RECORDS } from './pending-delivery.ts'

/** After this time the checkpoint follows the events, where few of them come. */
const CHECKPOINT_EVERY_MS = 1_000
/** How long a relay that ends waits to learn whether its last records are there. */
const LAST_SAVE_MS = 1_000
const RETRY = { firstMs: 500, longestMs: 10_000 }

export interface FeedLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface RelayPorts {
  readonly store: Pick<EventStore, 'readAll' | 'readStream' | 'subscribe'>
  readonly bus: Pick<Bus, 'open'>
  readonly plan: TopicPlan
  readonly checkpoints: FeedCheckpoints
  /** The balance below which a record says that it is low; without it none says so. */
  readonly lowBalance?: PicoDollars
  readonly pace: Pace
  readonly clock: Clock
  readonly timer: Timer
  readonly log: FeedLog
}

export interface FeedStatus {
  readonly topic: string
  /** Every event up to here was found in the topic; {@link START} before the first. */
  readonly position: Position
  /** How long the oldest event that is read and not acknowledged has been waiting for it. */
  readonly waitingMs: number
  /** The trouble that keeps the feed from going on, in words; null while all is well. */
  readonly trouble: string | null
  /**
   * The records of the topic that were lost behind the checkpoint: a resend mends it. Null for
   * nothing.
   */
  readonly lost: string | null
}

export class Relay {
  readonly #ports: RelayPorts
  readonly #progress: FeedProgress
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  #topic: BusTopic | undefined
  #sending: PendingDelivery | undefined
  #troubledSinceMs: number | undefined
  #trouble: string | null = null
  /** Whether the log says that the feed does not go on. */
  #isTold = false

  constructor(ports: RelayPorts) {
    this.#ports = ports
    this.#progress = new FeedProgress({ ...ports, topic: ports.plan.name })
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Resolves when nothing is sent any more, also while the bus is away. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  status(): FeedStatus {
    const since = this.#waitingSinceMs
    return {
      topic: this.#ports.plan.name,
      position: this.#progress.position,
      waitingMs: since === undefined ? 0 : Math.max(0, this.#ports.clock.nowMs() - since),
      trouble: this.#topic?.trouble ?? this.#trouble ?? this.#progress.unsaved,
      lost: this.#progress.lost,
    }
  }

  /**
   * Compares the topic with the log, up to where it is known to be whole.
   *
   * @throws {BusAwayError} when the topic cannot be read
   */
  async check(options: Omit<FeedCheckOptions, 'upTo'>): Promise<FeedCheckResult> {
    const upTo = this.#progress.position
    const topic = await this.#ports.bus.open(this.#ports.plan)
    try {
      return await checkFeed({ ...this.#ports, topic }, { ...options, upTo })
    } finally {
      await topic.close()
    }
  }

  /**
   * Sends events once more, beside what goes on: none that the feed has yet to come to.
   *
   * @returns how many, all acknowledged
   */
  async resend(options: Omit<FeedResendOptions, 'upTo'>): Promise<number> {
    const upTo = this.#progress.position
    const topic = await this.#ports.bus.open(this.#ports.plan)
    try {
      const sent = await resendFeed({ ...this.#ports, topic }, { ...options, upTo })
      this.#progress.noteResent(await topic.ends())
      return sent
    } finally {
      await topic.close()
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    const backoff = new Backoff(this.#ports.timer, RETRY)
    while (!signal.aborted) {
      try {
        const { checkpoint } = this.#progress
        if (checkpoint !== undefined) await checkSameLog(this.#ports.store, checkpoint)
        const topic = await this.#open()
        await this.#forwardAndSave(topic, () => backoff.reset())
      } catch (error) {
        if (signal.aborted) return
        this.#noteTrouble(error)
        if (error instanceof BusRewoundError) await this.#closeTopic()
        await backoff.pause(signal)
      }
    }
  }

  async #open(): Promise<BusTopic> {
    this.#topic ??= await this.#ports.bus.open(this.#ports.plan)
    for (const warning of this.#topic.warnings) {
      const fields = { topic: this.#ports.plan.name, reason: warning }
      this.#ports.log.warn(fields, 'feed topic is set up otherwise than it should be')
    }
    const lost = this.#progress.lookForLosses(await this.#topic.ends())
    if (lost !== null) {
      const fields = { topic: this.#ports.plan.name, missing: lost }
      this.#ports.log.error(fields, 'the feed topic has lost records: svc feed check finds them')
    }
    return this.#topic
  }

  /** It may be gone: a topic is made when it is opened. */
  async #closeTopic(): Promise<void> {
    const topic = this.#topic
    this.#topic = undefined
    await topic?.close()
  }

  /** Forwards events until it is stopped. @throws what ended it otherwise */
  async #forwardAndSave(topic: BusTopic, onProgress: () => void): Promise<void> {
    const session = new AbortController()
    const signal = AbortSignal.any([this.#stopping.signal, session.signal])
    let failure: { readonly cause: unknown } | undefined
    const fail = (cause: unknown): void => {
      failure ??= { cause }
      session.abort(cause)
    }
    const saving = this.#saveRegularly(topic, signal).catch(fail)
    const deliver = (delivery: PendingDelivery) => this.#deliver(topic, delivery, signal)
    await this.#forward({ signal, fail, deliver, onProgress })
    session.abort()
    await saving
    // What a failed session sent is sent again: no look at it may end when the next one has begun.
    if (failure !== undefined) throw failure.cause
    const saved = this.#progress.save(topic)
    await within(this.#ports.timer, LAST_SAVE_MS, saved, undefined).catch(() => {})
  }

  /** Reads one delivery ahead of the one that is under way. Never rejects: it tells `fail`. */
  async #forward({ signal, fail, deliver, onProgress }: Forwarding): Promise<void> {
    this.#progress.restart()
    let sending: Promise<void> = Promise.resolve()
    try {
      for await (const delivery of this.#deliveries(signal)) {
        await sending
        sending = deliver(delivery).then(onProgress)
        sending.catch(fail)
      }
    } catch (error) {
      fail(error)
    }
    await sending.catch(() => {})
  }

  /** Yields what is behind the checkpoint: as much together as fits, or as there is. */
  async *#deliveries(signal: AbortSignal): AsyncGenerator<PendingDelivery> {
    const { store, pace, clock, lowBalance } = this.#ports
    const recordOf = (event: RecordedEvent) => feedRecord(event, lowBalance) ?? []
    const after = this.#progress.position
    let filling: PendingDelivery | undefined
    this.#sending = undefined
    for await (const page of store.subscribe({ after, batchSize: PAGE_EVENTS, signal })) {
      const { events, caughtUp } = page
      const records = await pace.step(() => events.flatMap(recordOf))
      const last = events.at(-1)
      if (last !== undefined) {
        filling ??= new PendingDelivery(clock.nowMs())
        filling.add(records, last)
      }
      if (filling !== undefined && (caughtUp || filling.isFull)) {
        yield filling
        filling = undefined
      } else if (caughtUp && this.#sending === undefined) this.#noteWell()
    }
  }

  async #deliver(topic: BusTopic, delivery: PendingDelivery, signal: AbortSignal): Promise<void> {
    this.#sending = delivery
    for (const part of delivery.parts()) {
      const { records } = part
      if (this.#progress.unsavedCount + records.length > MAX_DELIVERY_RECORDS) {
        await this.#saveSurely(topic, signal)
      }
      if (records.length > 0) await topic.deliver(records, signal)
      this.#progress.noteDelivered(part, topic)
      if (this.#progress.unsavedCount >= SAVE_AT_RECORDS) await this.#saveSurely(topic, signal)
    }
    this.#sending = undefined
    this.#noteWell()
  }

  /** When the oldest event was read that is not acknowledged, or when nothing could be read. */
  get #waitingSinceMs(): number | undefined {
    return this.#troubledSinceMs ?? this.#sending?.sinceMs
  }

  async #saveRegularly(topic: BusTopic, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(this.#ports.timer, CHECKPOINT_EVERY_MS, signal)
      // A bus that is away is asked again at the next turn.
      await this.#progress.save(topic)
      if (!signal.aborted) this.#tellTurn()
    }
  }

  /**
   * Saves the checkpoint. Nothing more may be sent until the topic has answered and the checkpoint
   * is kept.
   */
  async #saveSurely(topic: BusTopic, signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(this.#ports.timer, RETRY)
    for (;;) {
      const failure = await this.#progress.save(topic)
      if (failure === undefined) return
      signal.throwIfAborted()
      this.#noteTrouble(failure)
      await backoff.pause(signal)
    }
  }

  #noteWell(): void {
    this.#troubledSinceMs = undefined
    this.#trouble = null
  }

  #noteTrouble(error: unknown): void {
    const words = error instanceof Error ? error.message : String(error)
    this.#troubledSinceMs ??= this.#waitingSinceMs ?? this.#ports.clock.nowMs()
    if (words === this.#trouble) return
    this.#trouble = words
    this.#tellTrouble(words)
  }

  /** A delivery that is tried again and again fails nothing: the topic alone knows of it. */
  #tellTurn(): void {
    const { trouble } = this.status()
    if (trouble !== null && !this.#isTold) this.#tellTrouble(trouble)
    if (trouble !== null || !this.#isTold) return
    this.#isTold = false
    this.#ports.log.warn({ topic: this.#ports.plan.name }, 'the feed is sent again')
  }

  #tellTrouble(problem: string): void {
    this.#isTold = true
    const fields = { topic: this.#ports.plan.name, problem }
    this.#ports.log.error(fields, 'the feed cannot be sent, trying again')
  }
}

interface Forwarding {
  readonly signal: AbortSignal
  /** Ends the session, also while the log is quiet. */
  readonly fail: (cause: unknown) => void
  readonly deliver: (delivery: PendingDelivery) => Promise<void>
  readonly onProgress: () => void
}
