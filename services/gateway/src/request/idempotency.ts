/**
 * `Idempotency-Key`: the same key and body give the same answer and one debit, however often they
 * come.
 *
 * A key belongs to its account. The first request with it runs; one that comes meanwhile waits for
 * it (joins) and is given the recorded answer, or 409 when that takes too long; later ones are
 * given the recorded answer for a day, and after that 409 with the receipt, for good. Another body
 * under the same key is 422. A request that ended without a debit has freed its key: the retry
 * runs. Where there is a debit and no answer, because the run was broken off or the record was
 * lost, the retry is 409 with the receipt: the ledger refuses to debit a key twice, also when two
 * gateways are asked at once. What the other one has answered meanwhile is given, where gateways
 * share what they record.
 */
import { createHmac, hash } from 'node:crypto'
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import { ServiceError } from '@svc/contracts/errors'
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { within } from '@svc/contracts/ports/within'
import type { Ledger, NewRequest } from '@svc/ledger/ledger'
import type { Logger } from 'pino'

const KEY = /^[\x20-\x7e]{1,255}$/
const JOIN_WAIT_MS = 60_000
const RETRY_AFTER_SECONDS = 1
/** How long an answer is kept for retries. */
const ANSWER_LIFE_MS = 24 * 3_600_000

export interface IdempotencyPorts {
  readonly ledger: Pick<Ledger, 'idempotent'>
  readonly recordedAnswers: Pick<ExpiringStore, 'load' | 'save'>
  readonly clock: Clock
  /** A clock that never jumps: it measures how long a request waits for another one. */
  readonly steadyClock: Clock
  readonly reach: ReachCrashPoint
  readonly timer: Timer
  readonly logger: Pick<Logger, 'error'>
}

export interface IdempotencyClaim {
  /** What the log keeps of it. */
  readonly logged: NonNullable<NewRequest['idempotency']>
  /** The same body in events from before the key went into its hash. */
  readonly formerBodyHash: string
}

/** An answer that is kept, so that a retry with the same key is given the same. */
export interface RecordedAnswer {
  readonly contentType: string
  /** The body as it was sent; for a stream, all of it. */
  readonly body: string
  /**
   * What its head said of it: of its cost, and of what was left out. Absent from answers that were
   * recorded before answers told their cost. Named for the cost alone, as it was stored first:
   * gateways of both versions read it.
   */
  readonly costHeaders?: Readonly<Record<string, string>>
}

/** What is to be done with a request: run it (and `leave` at its end), or send an answer again. */
export type IdempotencyEntry = { readonly kind: 'run'; leave(): void } | Replay

/** The answer that an earlier request with the key got. */
export interface Replay {
  readonly kind: 'replay'
  readonly requestId: string
  readonly answer: RecordedAnswer
}

/**
 * The log stays when texts are erased, and a prompt can be short. The key, which clients draw at
 * random and nobody keeps, is therefore a part of the body's hash: without it nobody can try
 * whether a body is the one that they guess.
 *
 * @param route and body: what the key stands for
 * @throws {ServiceError} when the header is no key
 */
export function claimOf(
  header: string | string[] | undefined,
  route: string,
  body: Buffer,
): IdempotencyClaim | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || !KEY.test(header)) {
    const message = 'The Idempotency-Key must be 1 to 255 printable ASCII characters.'
    throw new ServiceError('invalid_value', message, { param: 'Idempotency-Key' })
  }
  const formerBodyHash = hash('sha256', Buffer.concat([Buffer.from(`${route}\n`), body]), 'hex')
  const bodyHash = createHmac('sha256', header).update(formerBodyHash).digest('hex')
  return { logged: { keyHash: hash('sha256', header, 'hex'), bodyHash }, formerBodyHash }
}

interface RunningClaim {
  readonly bodyHash: string
  readonly ended: Promise<void>
}

/** What a request asks of it. */
export type RequestIdempotency = Pick<Idempotency, 'enter' | 'answeredElsewhere' | 'record'>

export class Idempotency {
  readonly #ports: IdempotencyPorts
  readonly #running = new Map<string, RunningClaim>()

  constructor(ports: IdempotencyPorts) {
    this.#ports = ports
  }

  /**
   * Resolves when it is known what to do. The stop signal ends a wait for another request, as if it
   * had taken too long.
   *
   * @throws {ServiceError} 409 or 422 when the request can neither run nor be answered again
   */
  async enter(
    accountId: string,
    claim: IdempotencyClaim | null,
    stop: AbortSignal,
  ): Promise<IdempotencyEntry> {
    if (claim === null) return { kind: 'run', leave: () => {} }
    const { keyHash, bodyHash } = claim.logged
    const name = `${accountId}/${keyHash}`
    const { steadyClock } = this.#ports
    const giveUpAt = steadyClock.nowMs() + JOIN_WAIT_MS
    for (;;) {
      const running = this.#running.get(name)
      if (running === undefined) return this.#first(name, accountId, claim)
      if (running.bodyHash !== bodyHash) throw keyReused()
      await this.#join(running, giveUpAt - steadyClock.nowMs(), stop)
    }
  }

  /**
   * The memory of this gateway can be older than the debit of another one, so that a retry begins
   * to run until the ledger refuses it.
   *
   * @param cause why it was refused
   */
  async answeredElsewhere(
    accountId: string,
    claim: IdempotencyClaim | null,
    cause: unknown,
  ): Promise<Replay | undefined> {
    if (claim === null || !(cause instanceof ServiceError)) return undefined
    const { code, requestId } = cause
    if (code !== 'idempotency_answer_gone' || requestId === undefined) return undefined
    const answer = await this.#recorded(accountId, requestId)
    return answer && { kind: 'replay', requestId, answer }
  }

  /** Keeps an answer for retries. When it is lost, a retry is refused, and never billed. */
  async record(accountId: string, requestId: string, answer: RecordedAnswer): Promise<void> {
    const { recordedAnswers, clock, reach, logger } = this.#ports
    const text = JSON.stringify(answer)
    try {
      reach('recorded-answer.before')
      await recordedAnswers.save(accountId, requestId, text, clock.nowMs() + ANSWER_LIFE_MS)
      reach('recorded-answer.after')
    } catch (cause) {
      logger.error({ requestId, err: cause }, 'failed to store answer for replay')
    }
  }

  /** The map is written before anything is awaited: nobody comes in between. */
  async #first(
    name: string,
    accountId: string,
    claim: IdempotencyClaim,
  ): Promise<IdempotencyEntry> {
    const ended = Promise.withResolvers<void>()
    this.#running.set(name, { bodyHash: claim.logged.bodyHash, ended: ended.promise })
    const leave = () => {
      this.#running.delete(name)
      ended.resolve()
    }
    try {
      const replay = await this.#earlierAnswer(accountId, claim)
      if (replay === undefined) return { kind: 'run', leave }
      leave()
      return replay
    } catch (cause) {
      leave()
      throw cause
    }
  }

  async #earlierAnswer(
    accountId: string,
    claim: IdempotencyClaim,
  ): Promise<IdempotencyEntry | undefined> {
    const { keyHash, bodyHash } = claim.logged
    const earlier = await this.#ports.ledger.idempotent(accountId, keyHash)
    if (earlier === undefined) return undefined
    if (![bodyHash, claim.formerBodyHash].includes(earlier.bodyHash)) throw keyReused()
    if (earlier.running) throw inUse()
    const { requestId } = earlier
    const answer = await this.#recorded(accountId, requestId)
    if (answer === undefined) throw answerGone(requestId)
    return { kind: 'replay', requestId, answer }
  }

  async #recorded(accountId: string, requestId: string): Promise<RecordedAnswer | undefined> {
    const { recordedAnswers, clock } = this.#ports
    const text = await recordedAnswers.load(accountId, requestId, clock.nowMs())
    // The store gives back what this program gave it: its shape needs no further check.
    return text === undefined ? undefined : (JSON.parse(text) as RecordedAnswer)
  }

  async #join(running: RunningClaim, waitMs: number, stop: AbortSignal): Promise<void> {
    if (waitMs <= 0 || stop.aborted) throw inUse()
    await within(this.#ports.timer, waitMs, running.ended, undefined, stop)
  }
}

function keyReused(): ServiceError {
  const message = 'This Idempotency-Key was used with a different request.'
  return new ServiceError('idempotency_key_reused', message, { param: 'Idempotency-Key' })
}

function inUse(): ServiceError {
  const message = 'A request with this Idempotency-Key is still running.'
  return new ServiceError('idempotency_key_in_use', message, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}

function answerGone(requestId: string): ServiceError {
  const message =
    'The request of this Idempotency-Key has ended and its answer is not kept. ' +
    `It is not run twice; its receipt is at /v1/requests/${requestId}.`
  return new ServiceError('idempotency_answer_gone', message, { requestId })
}
