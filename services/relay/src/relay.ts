/**
 * Sends the events of the ledger to a topic, in the order of the log.
 *
 *     log behind the checkpoint ─▶ delivered (acknowledged) ─▶ looked for ─▶ checkpoint
 *          ▲                                                       │
 *          └── from the last checkpoint again ◀── less is there ◀──┘
 *
 * Every event is in the topic at least once, and the first copies of each account are in order. The
 * checkpoint does not move by an acknowledgement alone: the relay first asks the topic whether it
 * holds the acknowledged records. While one delivery is under way, the relay reads the next one and
 * no more, so an outage takes the memory of two deliveries, and the rest waits in the log.
 *
 * A relay that dies sends again what it had sent behind its checkpoint. That is never more than one
 * delivery, because it does not send more before the checkpoint has moved. Several relays on one
 * log do no harm but duplicates.
 */

import type { PicoDollars } from '@svc/contracts/money'
import { Backoff } from '@svc/contracts/ports/backoff'
import {
  type Bus,
  BusRewoundError,
  type BusTopic,
  DELIVERY_RECORDS_MAX,
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
import type { FeedCheckpoints } from './feed-checkpoint.ts'
import { FeedProgress } from './feed-progress.ts'
import { feedRecord } from './feed-record.ts'
import { type FeedResendOptions, resendFeed } from './feed-resend.ts'
import { FeedTrouble } from './feed-trouble.ts'
import { checkSameLog } from './feed-witness.ts'
import { PAGE_EVENTS, PendingDelivery, SAVE_AT_RECORDS } from './pending-delivery.ts'
import { TopicInspection } from './topic-inspection.ts'

/** The longest time between two checkpoints when few events come. */
const CHECKPOINT_EVERY_MS = 1_000
/** How long a relay that stops waits for its last checkpoint. */
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
  /** A record says that the balance is low when it falls below this. Default: none says so. */
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
  /** How long the oldest event waits that was read and is not acknowledged, in milliseconds. */
  readonly waitingMs: number
  /** Why the feed does not go on, in words. Null when nothing is wrong. */
  readonly trouble: string | null
  /**
   * Says which records the topic has lost although the checkpoint counts them: {@link Relay.resend}
   * sends them again. Null for none.
   */
  readonly lost: string | null
}

export class Relay {
  readonly #ports: RelayPorts
  readonly #progress: FeedProgress
  readonly #trouble: FeedTrouble
  readonly #inspection: TopicInspection
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  #topic: BusTopic | undefined
  #sending: PendingDelivery | undefined

  constructor(ports: RelayPorts) {
    const { name: topic } = ports.plan
    this.#ports = ports
    this.#progress = new FeedProgress({ ...ports, topic })
    this.#trouble = new FeedTrouble({ ...ports, topic })
    this.#inspection = new TopicInspection(topic, { ...ports, progress: this.#progress })
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Stops sending. Resolves within a second or two, also while the bus is away. */
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
      trouble: this.#topic?.trouble ?? this.#trouble.words ?? this.#progress.unsaved,
      lost: this.#progress.lost,
    }
  }

  /**
   * Compares the topic with the log, from the start up to the checkpoint.
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
   * Sends events once more, while the feed goes on. It sends none that the feed has still to send.
   *
   * @returns how many were sent; all are acknowledged
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
    await this.#inspection.inspect(this.#topic, this.#stopping.signal)
    return this.#topic
  }

  /** The topic may be gone, and only {@link Bus.open} creates it. */
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
    // After a failure, the next session sends these records again. This session must not save a
    // checkpoint once that one has begun.
    if (failure !== undefined) throw failure.cause
    const saved = this.#progress.save(topic)
    await within(this.#ports.timer, LAST_SAVE_MS, saved, undefined).catch(() => {})
  }

  /** Reads one delivery ahead of the one under way. Never rejects: it calls `fail` instead. */
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

  /** Yields the events behind the checkpoint, in full deliveries until the end of the log. */
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
      } else if (caughtUp && this.#sending === undefined) this.#trouble.end()
    }
  }

  async #deliver(topic: BusTopic, delivery: PendingDelivery, signal: AbortSignal): Promise<void> {
    this.#sending = delivery
    for (const part of delivery.parts()) {
      const { records } = part
      if (this.#progress.unsavedCount + records.length > DELIVERY_RECORDS_MAX) {
        await this.#saveSurely(topic, signal)
      }
      if (records.length > 0) await topic.deliver(records, signal)
      this.#progress.noteDelivered(part, topic)
      if (this.#progress.unsavedCount >= SAVE_AT_RECORDS) await this.#saveSurely(topic, signal)
    }
    this.#sending = undefined
    this.#trouble.end()
  }

  /** When the trouble began, or when the oldest event was read that is not acknowledged. */
  get #waitingSinceMs(): number | undefined {
    return this.#trouble.sinceMs ?? this.#sending?.sinceMs
  }

  async #saveRegularly(topic: BusTopic, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(this.#ports.timer, CHECKPOINT_EVERY_MS, signal)
      // What keeps it from being saved is in the status, and the next turn tries again.
      await this.#progress.save(topic)
      if (!signal.aborted) this.#trouble.logChange(this.status().trouble)
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

  #noteTrouble(error: unknown): void {
    this.#trouble.note(error, this.#waitingSinceMs)
  }
}

interface Forwarding {
  readonly signal: AbortSignal
  /** Ends the session with an error, also while the subscription waits for events. */
  readonly fail: (cause: unknown) => void
  readonly deliver: (delivery: PendingDelivery) => Promise<void>
  readonly onProgress: () => void
}
