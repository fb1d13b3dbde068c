/**
 * How far the feed has come: which events the topic has acknowledged, and which of them it was
 * asked for and had. Only the latter are in the checkpoint.
 */
import { messageOf } from '@svc/contracts/error-message'
import { BusRewoundError, type BusTopic } from '@svc/contracts/ports/bus'
import { type Position, START } from '@svc/contracts/ports/event-store'
import type { FeedCheckpoint, FeedCheckpoints } from './feed-checkpoint.ts'
import type { FeedWitness } from './feed-witness.ts'
import type { DeliveryPart } from './pending-delivery.ts'

export interface FeedProgressPorts {
  /** The name of the topic: the checkpoint of another one does not count. */
  readonly topic: string
  readonly checkpoints: FeedCheckpoints
  readonly log: { error(fields: object, message: string): void }
}

/** The place up to which the topic should be whole: everything up to it is acknowledged. */
interface Delivered extends Pick<FeedCheckpoint, 'position' | 'ends'> {
  readonly witness: FeedWitness
  /** Records since the relay has begun, or begun again. */
  readonly count: number
}

export class FeedProgress {
  readonly #ports: FeedProgressPorts
  #saved: FeedCheckpoint | undefined
  /** The part that is acknowledged, and not looked for yet. */
  #delivered: Delivered | undefined
  /** How many records of {@link Delivered.count} the checkpoint is about. */
  #savedCount = 0
  /** The end of the last save: they take turns. */
  #saving: Promise<unknown> = Promise.resolve()
  #lost: string | null
  #unsaved: string | null = null

  constructor(ports: FeedProgressPorts) {
    this.#ports = ports
    const saved = ports.checkpoints.read()
    // A topic that is not the saved one gets everything.
    this.#saved = saved?.topic === ports.topic ? saved : undefined
    this.#lost = this.#saved?.lost ?? null
  }

  /** The last checkpoint that was kept; undefined before the first. */
  get checkpoint(): FeedCheckpoint | undefined {
    return this.#saved
  }

  /** Every event up to here was found in the topic; {@link START} before the first. */
  get position(): Position {
    return this.#saved?.position ?? START
  }

  /** What of the topic was lost behind the checkpoint, in words, until it is sent again. */
  get lost(): string | null {
    return this.#lost
  }

  /** Why the checkpoint does not follow what was delivered, in words; null while it does. */
  get unsaved(): string | null {
    return this.#unsaved
  }

  /** Records that are acknowledged behind the checkpoint. */
  get unsavedCount(): number {
    return (this.#delivered?.count ?? 0) - this.#savedCount
  }

  /** Forgets what was delivered behind the checkpoint: it is sent again, and counts no more. */
  restart(): void {
    this.#delivered = undefined
    this.#savedCount = 0
  }

  noteDelivered({ records, position, witness }: DeliveryPart, topic: BusTopic): void {
    const ends = endsAfter(this.#saved?.ends, topic.acknowledged)
    const count = (this.#delivered?.count ?? 0) + records.length
    this.#delivered = { position, witness, ends, count }
  }

  /**
   * Counts what was lost as sent again. Whether the topic has all of it, a check of the feed tells.
   *
   * @param ends the offset behind the last record of each partition, by now
   */
  noteResent(ends: readonly bigint[]): void {
    this.#lost = null
    this.#write({ ends, lost: null })
  }

  /**
   * Compares a topic that was just opened with the checkpoint.
   *
   * @returns what it has lost, in words; null for nothing
   */
  lookForLosses(ends: readonly bigint[]): string | null {
    const missing = missingIn(ends, this.#saved?.ends ?? [])
    if (missing === null) return null
    this.#lost = missing
    // What is lost stays to be resent; the relay goes on from what there is.
    this.#write({ ends, lost: missing })
    return missing
  }

  /**
   * Asks the topic for what was delivered, and moves the checkpoint.
   *
   * @returns why the topic could not be asked, or the checkpoint not be kept
   * @throws {BusRewoundError} when the topic does not hold what was acknowledged
   */
  save(topic: Pick<BusTopic, 'ends'>): Promise<Error | undefined> {
    const saved = this.#saving.then(() => this.#saveInTurn(topic))
    this.#saving = saved.catch(() => {})
    return saved
  }

  async #saveInTurn(topic: Pick<BusTopic, 'ends'>): Promise<Error | undefined> {
    const delivered = this.#delivered
    if (delivered === undefined || delivered.position === this.#saved?.position) return undefined
    const ends = await topic.ends().catch((error: Error) => error)
    if (ends instanceof Error) return ends
    const { position, witness, count } = delivered
    const missing = missingIn(ends, delivered.ends)
    if (missing !== null) throw new BusRewoundError(missing)
    const failure = this.#write({ position, witness, ends: delivered.ends, lost: this.#lost })
    if (failure === undefined) this.#savedCount = count
    this.#unsaved = failure?.message ?? null
    return failure
  }

  /** @returns why it is not kept, when it is not */
  #write(changed: Partial<FeedCheckpoint>): Error | undefined {
    if (this.#saved === undefined && changed.position === undefined) return undefined
    const { topic, checkpoints, log } = this.#ports
    const start = { topic, position: START, witness: null, ends: [], lost: null }
    const checkpoint = { ...start, ...this.#saved, ...changed }
    try {
      checkpoints.write(checkpoint)
      this.#saved = checkpoint
      return undefined
    } catch (cause) {
      const isNew = this.#unsaved === null
      if (isNew) log.error({ err: cause }, 'failed to save the checkpoint of the feed, retrying')
      const reason = messageOf(cause)
      return new Error(`its checkpoint cannot be saved: ${reason}`, { cause })
    }
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

/**
 * Finds the ends of partitions. What was known before holds for one to which this process has sent
 * nothing yet.
 */
function endsAfter(
  before: readonly bigint[] | undefined,
  acknowledged: readonly bigint[],
): readonly bigint[] {
  return acknowledged.map((end, partition) => (end === 0n ? (before?.[partition] ?? 0n) : end))
}
