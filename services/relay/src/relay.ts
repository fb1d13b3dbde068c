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
import {
  checkSameLog,
  type FeedCheckpoint,
  type FeedCheckpoints,
  type FeedWitness,
} from './feed-checkpoint.ts'
import { feedRecord } from './feed-record.ts'
import { type FeedResendOptions, resendFeed } from './feed-resend.ts'
import { PAGE_EVENTS, PendingDelivery, SAVE_AT_RECORDS } from './pending-delivery.ts'

/** Where few events come, the checkpoint follows them after this time. */
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
  /** Below which a record says that the balance is low; without it none says so. */
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
  /** What keeps the feed from going on, in words; null while all is well. */
  readonly trouble: string | null
  /** What of the topic was lost behind the checkpoint: a resend mends it. Null for nothing. */
  readonly lost: string | null
}

export class Relay {
  readonly #ports: RelayPorts
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  #topic: BusTopic | undefined
  #saved: FeedCheckpoint | undefined
  /** Acknowledged, and not looked for yet. */
  #delivered: Delivered | undefined
  /** Of {@link Delivered.count}, what the checkpoint is about. */
  #savedCount = 0
  /** The end of the last save: they take turns. */
  #saving: Promise<unknown> = Promise.resolve()
  #sending: PendingDelivery | undefined
  #troubledSinceMs: number | undefined
  #trouble: string | null = null
  #lost: string | null = null

  constructor(ports: RelayPorts) {
    this.#ports = ports
    const saved = ports.checkpoints.read()
    // Another topic gets everything.
    this.#saved = saved?.topic === ports.plan.name ? saved : undefined
    this.#lost = this.#saved?.lost ?? null
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
      position: this.#saved?.position ?? START,
      waitingMs: since === undefined ? 0 : Math.max(0, this.#ports.clock.nowMs() - since),
      trouble: this.#topic?.trouble ?? this.#trouble,
      lost: this.#lost,
    }
  }

  /**
   * Compares the topic with the log, up to where it is known to be whole.
   *
   * @throws {BusAwayError} when the topic cannot be read
   */
  async check(options: Omit<FeedCheckOptions, 'upTo'>): Promise<FeedCheckResult> {
    const upTo = this.#saved?.position ?? START
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
    const upTo = this.#saved?.position ?? START
    const topic = await this.#ports.bus.open(this.#ports.plan)
    try {
      const sent = await resendFeed({ ...this.#ports, topic }, { ...options, upTo })
      // Whether all is there now, a check tells.
      this.#lost = null
      this.#write({ ends: await topic.ends(), lost: null })
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
        if (this.#saved !== undefined) await checkSameLog(this.#ports.store, this.#saved)
        const topic = await this.#open()
        await this.#forwardAndSave(topic, () => backoff.reset())
      } catch (error) {
        if (signal.aborted) return
        this.#noteTrouble(error)
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
    const ends = await this.#topic.ends()
    const missing = missingIn(ends, this.#saved?.ends ?? [])
    if (missing !== null) {
      this.#lost = missing
      const fields = { topic: this.#ports.plan.name, missing }
      this.#ports.log.error(fields, 'the feed topic has lost records: svc feed check finds them')
      // What is lost stays to be resent; the relay goes on from what there is.
      this.#write({ ends, lost: missing })
    }
    return this.#topic
  }

  /** Until it is stopped. @throws what ended it otherwise */
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
    await within(this.#ports.timer, LAST_SAVE_MS, this.#save(topic), undefined).catch(() => {})
  }

  /** Reads one delivery ahead of the one that is under way. Never rejects: it tells `fail`. */
  async #forward({ signal, fail, deliver, onProgress }: Forwarding): Promise<void> {
    this.#delivered = undefined
    this.#savedCount = 0
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

  /** What is behind the checkpoint: as much together as fits, or as there is. */
  async *#deliveries(signal: AbortSignal): AsyncGenerator<PendingDelivery> {
    const { store, pace, clock, lowBalance } = this.#ports
    const recordOf = (event: RecordedEvent) => feedRecord(event, lowBalance) ?? []
    const after = this.#saved?.position ?? START
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
    for (const { records, position, witness } of delivery.parts()) {
      if (this.#unsavedCount + records.length > MAX_DELIVERY_RECORDS) {
        await this.#saveSurely(topic, signal)
      }
      if (records.length > 0) await topic.deliver(records, signal)
      const ends = endsAfter(this.#saved?.ends, topic.acknowledged)
      const count = (this.#delivered?.count ?? 0) + records.length
      this.#delivered = { position, witness, ends, count }
      if (this.#unsavedCount >= SAVE_AT_RECORDS) await this.#saveSurely(topic, signal)
    }
    this.#sending = undefined
    this.#noteWell()
  }

  /** Records that are acknowledged behind the checkpoint. */
  get #unsavedCount(): number {
    return (this.#delivered?.count ?? 0) - this.#savedCount
  }

  /** When the oldest event was read that is not acknowledged, or when nothing could be read. */
  get #waitingSinceMs(): number | undefined {
    return this.#troubledSinceMs ?? this.#sending?.sinceMs
  }

  async #saveRegularly(topic: BusTopic, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(this.#ports.timer, CHECKPOINT_EVERY_MS, signal)
      // A bus that is away is asked again at the next turn.
      await this.#save(topic)
    }
  }

  /** Until the topic has answered and the checkpoint is kept nothing more may be sent. */
  async #saveSurely(topic: BusTopic, signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(this.#ports.timer, RETRY)
    for (;;) {
      const failure = await this.#save(topic)
      if (failure === undefined) return
      signal.throwIfAborted()
      this.#noteTrouble(failure)
      await backoff.pause(signal)
    }
  }

  /**
   * @returns why the topic could not be asked, or the checkpoint not be kept
   * @throws {BusRewoundError} when the topic does not hold what was acknowledged
   */
  #save(topic: BusTopic): Promise<Error | undefined> {
    const saved = this.#saving.then(() => this.#saveInTurn(topic))
    this.#saving = saved.catch(() => {})
    return saved
  }

  async #saveInTurn(topic: BusTopic): Promise<Error | undefined> {
    const delivered = this.#delivered
    if (delivered === undefined || delivered.position === this.#saved?.position) return undefined
    const ends = await topic.ends().catch((error: Error) => error)
    if (ends instanceof Error) return ends
    const { position, witness, count } = delivered
    const missing = missingIn(ends, delivered.ends)
    if (missing !== null) throw new BusRewoundError(missing)
    const failure = this.#write({ position, witness, ends: delivered.ends, lost: this.#lost })
    if (failure === undefined) this.#savedCount = count
    return failure
  }

  /** @returns why it is not kept, when it is not */
  #write(changed: Partial<FeedCheckpoint>): Error | undefined {
    if (this.#saved === undefined && changed.position === undefined) return undefined
    const { name: topic } = this.#ports.plan
    const start = { topic, position: START, witness: null, ends: [], lost: null }
    const checkpoint = { ...start, ...this.#saved, ...changed }
    try {
      this.#ports.checkpoints.write(checkpoint)
      this.#saved = checkpoint
      return undefined
    } catch (cause) {
      this.#ports.log.error(
        { err: cause },
        'failed to save the checkpoint of the feed, trying again',
      )
      const reason = cause instanceof Error ? cause.message : String(cause)
      return new Error(`its checkpoint cannot be saved: ${reason}`, { cause })
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
    const fields = { topic: this.#ports.plan.name, problem: words }
    this.#ports.log.error(fields, 'the feed cannot be sent, trying again')
  }
}

/** How far the topic should be whole: everything up to the position is acknowledged. */
interface Delivered extends Pick<FeedCheckpoint, 'position' | 'ends'> {
  readonly witness: FeedWitness
  /** Records since the relay has begun, or begun again. */
  readonly count: number
}

interface Forwarding {
  readonly signal: AbortSignal
  /** Ends the session, also while the log is quiet. */
  readonly fail: (cause: unknown) => void
  readonly deliver: (delivery: PendingDelivery) => Promise<void>
  readonly onProgress: () => void
}

/** @returns what is missing of `expected` in words, or null when all is there */
function missingIn(ends: readonly bigint[], expected: readonly bigint[]): string | null {
  const missing = expected.flatMap((end, partition) => {
    const found = ends[partition] ?? 0n
    return found < end ? [`partition ${partition} ends at ${found} and not at ${end}`] : []
  })
  return missing.length === 0 ? null : missing.join(', ')
}

/** Of a partition to which this process has sent nothing yet, what was known before holds. */
function endsAfter(
  before: readonly bigint[] | undefined,
  acknowledged: readonly bigint[],
): readonly bigint[] {
  return acknowledged.map((end, partition) => (end === 0n ? (before?.[partition] ?? 0n) : end))
}
