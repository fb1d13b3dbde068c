/**
 * Turns payments of a topic into grants.
 *
 *     record ─▶ read ─▶ granted (durable) ─▶ passed
 *                │          │
 *                └──────────┴── never will be ─▶ dead letters (acknowledged) ─▶ passed
 *
 * A record is passed when its effect is durable, so it can come again, here or at another server.
 * What makes the effect happen once is the ledger: the id of a grant follows from the account and
 * the payment's reference. Whatever may get better by itself is waited for, and nothing passes it.
 */
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { topUp } from '@svc/contracts/bus/top-up'
import { type ErrorCode, ServiceError } from '@svc/contracts/errors'
import { parsedInput } from '@svc/contracts/parsed-input'
import type { Bus, BusConsumer, ReceivedRecord } from '@svc/contracts/ports/bus'
import type { Timer } from '@svc/contracts/ports/time'
import { strictJsonObject } from '@svc/contracts/strict-json'
import { DeadLetters } from './dead-letters.ts'

export interface TopUpsPorts {
  readonly bus: Bus
  readonly topic: string
  /** Servers of one group share the work. */
  readonly group: string
  readonly timer: Timer
  readonly log: {
    warn(fields: object, message: string): void
    error(fields: object, message: string): void
  }
}

/** The operation behind `svc account grant`, in the name of the top-ups. */
type AskForGrant = OperationHandlers['grant']
/** The operation that only says what it would do. */
type PreviewGrant = OperationHandlers['previewGrant']

export interface TopUpsState {
  readonly topic: string
  readonly group: string
  readonly deadLetterTopic: string
  /** How many payments this server has granted since its start. */
  readonly granted: number
  /** How many came again and had been granted before, by whomever. */
  readonly repeated: number
  readonly dead: number
  /** Records of this server's partitions that are not taken yet; null while nobody knows. */
  readonly waiting: bigint | null
  /** The trouble that keeps payments from being granted, in words; null while all is well. */
  readonly trouble: string | null
  /** The records that the topic dropped before they were taken, in words. */
  readonly skipped: string | null
}

export class TopUps {
  readonly #ports: TopUpsPorts
  readonly #deadLetters: DeadLetters
  readonly #stopping = new AbortController()
  #consumer: BusConsumer | undefined
  #granted = 0
  #repeated = 0
  #dead = 0

  constructor(ports: TopUpsPorts) {
    this.#ports = ports
    this.#deadLetters = new DeadLetters(ports)
  }

  start(grant: AskForGrant, preview: PreviewGrant): void {
    const { bus, topic, group, log } = this.#ports
    this.#consumer ??= bus.consume({
      topic,
      group,
      take: (record, signal) => this.#take(record, grant, signal),
      lookBack: (record) => this.#missingOf(record, preview),
      onTrouble: (problem) => log.error({ topic, problem }, 'top-ups cannot be taken, retrying'),
    })
  }

  /** Resolves when nothing is asked for any more. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#consumer?.close()
    await this.#deadLetters.close()
  }

  status(): TopUpsState {
    const { topic, group } = this.#ports
    return {
      topic,
      group,
      deadLetterTopic: this.#deadLetters.topic,
      granted: this.#granted,
      repeated: this.#repeated,
      dead: this.#dead,
      waiting: this.#consumer?.waiting ?? null,
      trouble: this.#consumer?.trouble ?? null,
      skipped: this.#consumer?.skipped ?? null,
    }
  }

  async #take(record: ReceivedRecord, grant: AskForGrant, signal: AbortSignal): Promise<void> {
    try {
      const { created } = await grant(grantOf(record))
      if (created) this.#granted += 1
      else this.#repeated += 1
    } catch (error) {
      if (!isForGood(error)) throw error
      await this.#deadLetters.keep(record, error, signal)
      this.#dead += 1
      const { topic, log } = this.#ports
      const { partition, offset } = record
      const at = { topic, partition, offset: `${offset}`, code: error.code }
      log.warn(at, 'top-up refused, kept in the dead-letter topic')
    }
  }

  /**
   * Payments that the group has taken and this ledger lacks were granted in another: in the one
   * that it was restored from, or in a copy that runs beside it.
   */
  async #missingOf(record: ReceivedRecord, preview: PreviewGrant): Promise<string | null> {
    const { group } = this.#ports
    try {
      const payment = grantOf(record)
      const { balance_before: before } = await preview(payment)
      if (before === null) return null
      // Since then the account may have been opened, mended or freed of old grants.
      if (await this.#deadLetters.has(record, this.#stopping.signal)) return null
      return (
        `the group ${group} has taken payments that this ledger lacks, such as ` +
        `${payment.reference} of ${payment.account_id}: stop what else takes payments with it, ` +
        'and name another group in SVC_KAFKA_TOPUPS_GROUP'
      )
    } catch (error) {
      // What cannot be granted now may be a dead letter.
      if (isForGood(error)) return null
      throw error
    }
  }
}

/** @throws {ServiceError} for what is no payment */
function grantOf({ value, bytes }: ReceivedRecord): Parameters<AskForGrant>[0] {
  if (bytes !== undefined) throw new ServiceError('invalid_json', 'The value is not UTF-8.')
  const { currency: _, ...grant } = parsedInput(topUp, strictJsonObject(value, 'the value'))
  return grant
}

/**
 * The errors that concern one account alone: however long they last, they keep no other account
 * waiting.
 */
const OF_ONE_ACCOUNT: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['account_damaged'])
const SERVER_FAULTS = 500

/** Whether no later attempt would be answered otherwise. */
function isForGood(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false
  const { status, retry } = error.entry
  return (status < SERVER_FAULTS && !retry) || OF_ONE_ACCOUNT.has(error.code)
}
