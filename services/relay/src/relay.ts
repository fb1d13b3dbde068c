/**
 * Sends the events of the ledger to a topic, in the order of the log.
 *
 *     log behind the checkpoint ─▶ delivered (acknowledged) ─▶ looked for ─▶ checkpoint
 *          ▲                                                       │
 *          └── from the last checkpoint again ◀── less is there ◀──┘
 *
 * Every event is in the topic at least once, and the first copies of each account are in order. An
 * acknowledgement alone moves no checkpoint: the topic is asked first whether it holds what was
 * acknowledged. While the bus is away nothing is read ahead: one batch is all the memory that it
 * takes, and the log is where the rest waits. Several relays on one log only make doubles.
 */
import { Backoff } from '@svc/contracts/ports/backoff'
import {
  type Bus,
  BusRewoundError,
  type BusTopic,
  inDeliveries,
  type TopicPlan,
} from '@svc/contracts/ports/bus'
import { type EventStore, type Position, START } from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import { type Clock, pause, type Timer } from '@svc/contracts/ports/time'
import { within } from '@svc/contracts/ports/within'
import { checkFeed, type FeedCheckOptions, type FeedCheckResult } from './feed-check.ts'
import { feedRecord } from './feed-record.ts'
import { type FeedResendOptions, resendFeed } from './feed-resend.ts'

/** Events that are read, and held in memory, at once. */
const BATCH_EVENTS = 500
/** What a relay that dies sends again is what it sent in this time. */
const CHECKPOINT_EVERY_MS = 1_000
/** How long a relay that ends waits to learn whether its last records are there. */
const LAST_SAVE_MS = 1_000
const RETRY = { firstMs: 500, longestMs: 10_000 }

/** How far the topic is known to be whole. */
export interface FeedCheckpoint {
  readonly topic: string
  readonly position: Position
  /** Behind the last record of each partition that was acknowledged and found. */
  readonly ends: readonly bigint[]
  /** What of the topic was lost before that, in words, until it is sent again. */
  readonly lost: string | null
}

export interface FeedCheckpoints {
  /** @returns undefined before the first */
  read(): FeedCheckpoint | undefined
  /** Durable when it returns. */
  write(checkpoint: FeedCheckpoint): void
}

export interface FeedLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface RelayPorts {
  readonly store: Pick<EventStore, 'readAll' | 'subscribe'>
  readonly bus: Bus
  readonly plan: TopicPlan
  readonly checkpoints: FeedCheckpoints
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
  #delivered: FeedCheckpoint | undefined
  #waitingSinceMs: number | undefined
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
      this.#ports.log.warn({ topic: this.#ports.plan.name }, `feed topic: ${warning}`)
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
    const saving = this.#saveRegularly(topic, signal).catch((error) => session.abort(error))
    try {
      await this.#forward(topic, signal, onProgress)
    } finally {
      session.abort()
      await saving
      await within(this.#ports.timer, LAST_SAVE_MS, this.#save(topic), undefined).catch(() => {})
    }
    if (session.signal.reason instanceof BusRewoundError) throw session.signal.reason
  }

  async #forward(topic: BusTopic, signal: AbortSignal, onProgress: () => void): Promise<void> {
    const { store, pace, clock, plan } = this.#ports
    const after = this.#saved?.position ?? START
    this.#delivered = undefined
    for await (const { events } of store.subscribe({ after, batchSize: BATCH_EVENTS, signal })) {
      const last = events.at(-1)
      if (last === undefined) continue
      const records = await pace.step(() => events.map(feedRecord).filter((it) => it !== undefined))
      this.#waitingSinceMs = clock.nowMs()
      for (const delivery of inDeliveries(records)) await topic.deliver(delivery, signal)
      this.#waitingSinceMs = undefined
      const ends = endsAfter(this.#saved?.ends, topic.acknowledged)
      this.#delivered = { topic: plan.name, position: last.position, ends, lost: this.#lost }
      this.#trouble = null
      onProgress()
    }
  }

  async #saveRegularly(topic: BusTopic, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(this.#ports.timer, CHECKPOINT_EVERY_MS, signal)
      await this.#save(topic)
    }
  }

  /** @throws {BusRewoundError} when the topic does not hold what was acknowledged */
  async #save(topic: BusTopic): Promise<void> {
    const delivered = this.#delivered
    if (delivered === undefined || delivered.position === this.#saved?.position) return
    const ends = await topic.ends().catch(() => undefined)
    // The bus is away: the next turn looks again.
    if (ends === undefined) return
    const missing = missingIn(ends, delivered.ends)
    if (missing !== null) throw new BusRewoundError(missing)
    this.#write({ ...delivered, lost: this.#lost })
  }

  #write(changed: Partial<FeedCheckpoint>): void {
    if (this.#saved === undefined && changed.position === undefined) return
    const start = { topic: this.#ports.plan.name, position: START, ends: [], lost: null }
    const checkpoint = { ...start, ...this.#saved, ...changed }
    try {
      this.#ports.checkpoints.write(checkpoint)
      this.#saved = checkpoint
    } catch (err) {
      this.#ports.log.error({ err }, 'failed to save the checkpoint of the feed, trying again')
    }
  }

  #noteTrouble(error: unknown): void {
    const words = error instanceof Error ? error.message : String(error)
    this.#waitingSinceMs ??= this.#ports.clock.nowMs()
    if (words === this.#trouble) return
    this.#trouble = words
    const fields = { topic: this.#ports.plan.name, problem: words }
    this.#ports.log.error(fields, 'the feed cannot be sent, trying again')
  }
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
