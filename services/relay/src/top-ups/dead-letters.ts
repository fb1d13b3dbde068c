/** Keeps records that can never be taken, with the reason, for people. */
import type { ServiceError } from '@svc/contracts/errors'
import {
  type Bus,
  type BusRecord,
  BusRefusedError,
  BusRewoundError,
  type BusTopic,
  bytesOfValue,
  checkDelivery,
  type ReceivedRecord,
  type TopicPlan,
} from '@svc/contracts/ports/bus'
import type { Timer } from '@svc/contracts/ports/time'
import { within } from '@svc/contracts/ports/within'

const SUFFIX = '.dead'
/** It is small, and its order means nothing. */
const PARTITIONS = 1
/** How long a letter may take to be kept. Then whoever waits for it says so, and tries again. */
const KEPT_WITHIN_MS = 5_000
const LATE = Symbol('late')
/** How many characters stay of the key of a letter that is too large to keep whole. */
const CUT_KEY_CHARACTERS = 1_000

export interface DeadLettersPorts {
  readonly bus: Bus
  /** The topic that the records come from. */
  readonly topic: string
  readonly timer: Timer
}

/** @returns the topic that keeps what can never be taken from the given one */
export function deadLetterPlan(topic: string): TopicPlan {
  return { name: `${topic}${SUFFIX}`, partitions: PARTITIONS }
}

export class DeadLetters {
  readonly #plan: TopicPlan
  readonly #ports: DeadLettersPorts
  #opened: BusTopic | undefined

  constructor(ports: DeadLettersPorts) {
    this.#ports = ports
    this.#plan = deadLetterPlan(ports.topic)
  }

  get topic(): string {
    return this.#plan.name
  }

  /**
   * Resolves when the record is durable. After a failure it may be there all the same, and then
   * twice.
   *
   * @throws when it is not acknowledged in time
   */
  async keep(record: ReceivedRecord, reason: ServiceError, signal: AbortSignal): Promise<void> {
    const letter = this.#letterOf(record, reason)
    const giveUp = new AbortController()
    const delivered = this.#deliver(letter, AbortSignal.any([signal, giveUp.signal]))
    const kept = await within(this.#ports.timer, KEPT_WITHIN_MS, delivered, LATE)
    if (kept !== LATE) return
    const trouble = this.#opened?.trouble ?? 'no acknowledgement'
    const late = new Error(`the topic of dead letters ${this.topic} does not take them: ${trouble}`)
    giveUp.abort(late)
    throw late
  }

  /**
   * Whether the record is among the letters. Reads all of them; false when this user may not.
   *
   * @throws {BusAwayError}
   */
  async has(
    { partition, offset }: Pick<ReceivedRecord, 'partition' | 'offset'>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const place = placeHeaders(this.#ports.topic, partition, offset)
    const letters = await this.#ports.bus.open(this.#plan)
    let isThere = false
    const look = (records: readonly ReceivedRecord[]): void => {
      isThere ||= records.some(({ headers }) => {
        return Object.entries(place).every(([name, value]) => headers[name] === value)
      })
    }
    try {
      await letters.read(look, signal)
    } catch (error) {
      if (!(error instanceof BusRefusedError)) throw error
    } finally {
      await letters.close()
    }
    return isThere
  }

  async close(): Promise<void> {
    await this.#opened?.close()
    this.#opened = undefined
  }

  async #deliver(letter: BusRecord, signal: AbortSignal): Promise<void> {
    this.#opened ??= await this.#ports.bus.open(this.#plan)
    try {
      await this.#opened.deliver([letter], signal)
    } catch (error) {
      // It is forgotten that it held more, and the letter is delivered at the next attempt.
      if (error instanceof BusRewoundError) await this.close()
      throw error
    }
  }

  #letterOf(received: ReceivedRecord, reason: ServiceError): BusRecord {
    const { partition, offset, ...record } = received
    const why = {
      'dead-code': reason.code,
      'dead-reason': reason.message,
      ...placeHeaders(this.#ports.topic, partition, offset),
    }
    const letter = { ...record, headers: { ...record.headers, ...why } }
    if (fits(letter)) return letter
    // The cut letter tells where the whole one stands, as long as the topic keeps it.
    const cut = { ...why, 'dead-cut': `${bytesOfValue(record)}` }
    return { key: record.key.slice(0, CUT_KEY_CHARACTERS), value: '', headers: cut }
  }
}

/** Where a letter stood in the topic that it comes from. */
function placeHeaders(topic: string, partition: number, offset: bigint) {
  return { 'dead-topic': topic, 'dead-partition': `${partition}`, 'dead-offset': `${offset}` }
}

function fits(letter: BusRecord): boolean {
  try {
    checkDelivery([letter])
    return true
  } catch {
    return false
  }
}
