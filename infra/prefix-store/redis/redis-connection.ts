/**
 * The one connection of a store or an index to its Redis. Nobody may ever wait long for a cache, so
 * a call is answered, or has failed, within its budget:
 *
 *     not connected     it fails at once, and nothing is queued; connecting goes on by itself
 *     circuit open      it fails at once, see {@link CircuitBreaker}
 *     no answer         it fails when its budget is used up, the circuit opens, and the connection
 *                       is given up: of one whose other end is gone without a word, nothing is ever
 *                       heard again, and what is still to come would hold up the calls behind it
 *     an error          a refusal of one command is its reply; when all are refused for a reason
 *                       that lies in the server (no password, loading …), the call has failed
 *
 * The client has a time limit for commands too, but none that sees whether this process was busy
 * itself: a reply that lies here already is not late. So the budget is watched here, and the
 * client's limit only ends a handshake that hangs.
 *
 * A new connection on which something was wrong asks by itself, after a while, whether that is
 * over: a problem must not be shown for hours only because nobody has called.
 *
 * A connection is well when the server has replied on it. A server that has as many as it may takes
 * a further one, says so, and ends it: whoever took that for a success would try again without end,
 * and say each time that all is well.
 *
 * RESP2 is spoken: RESP3 would bring nothing but a further command before the first. No right is
 * needed beyond those for the commands that are sent: PING may be refused.
 */
import { Backoff } from '@svc/contracts/ports/backoff'
import type { Clock } from '@svc/contracts/ports/time'
import { untilAborted, within } from '@svc/contracts/ports/within'
import { Redis } from 'ioredis'
import { StoreOpenError } from '../../store-open-error.ts'
import { patientTimer } from '../../system/patient-timer.ts'
import { CircuitBreaker, OPEN_MS } from './circuit-breaker.ts'
import {
  type ErrorReply,
  isErrorReply,
  isServerFailure,
  type RedisReply,
  replyOf,
} from './redis-reply.ts'
import { addressText, type RedisAddress, readRedisUrl } from './redis-url.ts'

const CALL_WITHIN_MS = 250
/** Calls under way at once: the memory that they hold must not grow with a slow server. */
const CALLS_MAX = 128
/**
 * How long a connection may take to be made. The first one has longer, because a process that
 * starts is busy, and would say of a server that answers that it does not. No call waits for it.
 */
const FIRST_CONNECT_TIMEOUT_MS = 3_000
const CONNECT_TIMEOUT_MS = 200
const HANDSHAKE_COMMAND_TIMEOUT_MS = 500
/** How long a connection that is given up may take to close. */
const DISCONNECT_TIMEOUT_MS = 100
/** The pauses between two attempts to connect, in milliseconds. */
const PAUSE_BOUNDS = { firstMs: 50, longestMs: 2_000 }

const NO_PERMISSION = 'NOPERM'

export type RedisCommand = readonly [name: string, ...args: (string | number | Buffer)[]]

export type CallOutcome =
  | { readonly kind: 'answered'; readonly replies: readonly RedisReply[] }
  | { readonly kind: 'failed' }
  /** The caller's signal ended the call, whatever becomes of it. */
  | { readonly kind: 'aborted' }

/** Is called when the problem changes: with words that hold no secret, or null when it is over. */
export type OnProblem = (problem: string | null) => void

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /**
   * How long the caller waits, where that is less than a call may take: then the call has failed
   * for the caller, and for the circuit only when it has for all.
   */
  readonly patienceMs?: number | undefined
}

export interface ConnectionOptions {
  readonly url: string
  /** The clock of the circuit breaker. */
  readonly clock: Clock
  readonly onProblem: OnProblem
  /** How long a call may take; default: {@link CALL_WITHIN_MS}. */
  readonly callWithinMs?: number | undefined
}

const FAILED: CallOutcome = { kind: 'failed' }
const ABORTED: CallOutcome = { kind: 'aborted' }

export class RedisConnection {
  readonly #redis: Redis
  readonly #breaker: CircuitBreaker
  readonly #place: string
  readonly #onProblem: OnProblem
  readonly #callWithinMs: number
  #problem: string | null = null
  /**
   * Whether the connection is given up and not closed yet. The client takes it for one that can be
   * used.
   */
  #isGivenUp = false
  #isClosed = false
  #calls = 0
  #cancelProbe = () => {}
  /** What was told since all was well, so that an outage with two faces is not told without end. */
  readonly #told = new Set<string>()

  /**
   * Begins to connect, and does not wait for it.
   *
   * @throws {StoreOpenError} when the address makes no sense
   */
  constructor({ url, clock, onProblem, callWithinMs = CALL_WITHIN_MS }: ConnectionOptions) {
    const read = readRedisUrl(url)
    if (!read.ok) throw new StoreOpenError('bad-address', `the address of Redis: ${read.message}`)
    const { address } = read
    this.#breaker = new CircuitBreaker(clock)
    this.#place = addressText(address)
    this.#onProblem = onProblem
    this.#callWithinMs = callWithinMs
    const pauses = new Backoff(patientTimer, PAUSE_BOUNDS)
    const commandTimeout = HANDSHAKE_COMMAND_TIMEOUT_MS + Math.max(0, callWithinMs - CALL_WITHIN_MS)
    this.#redis = openClient({ ...clientOptions(address, pauses), commandTimeout })
    this.#redis.on('close', () => {
      // A problem that is known already says more.
      if (this.#problem === null) this.#tell('is not connected')
    })
    this.#redis.on('error', (error: unknown) => this.#tell(`cannot be used: ${causeOf(error)}`))
    this.#redis.on('ready', () => {
      this.#isGivenUp = false
      void this.#greet(pauses)
    })
  }

  /** Sends commands together. Never rejects. */
  async call(
    commands: readonly RedisCommand[],
    { signal, patienceMs }: CallOptions = {},
  ): Promise<CallOutcome> {
    if (signal?.aborted === true) return ABORTED
    if (commands.length === 0) return { kind: 'answered', replies: [] }
    if (!this.#canSend() || !this.#breaker.admit()) return FAILED
    this.#calls += 1
    const outcome = this.#send(commands).finally(() => {
      this.#calls -= 1
    })
    if (patienceMs !== undefined) return within(patientTimer, patienceMs, outcome, FAILED)
    if (signal === undefined) return outcome
    return untilAborted(outcome, signal).catch(() => ABORTED)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#cancelProbe()
    this.#redis.disconnect()
  }

  #canSend(): boolean {
    return this.#redis.status === 'ready' && !this.#isGivenUp && this.#calls < CALLS_MAX
  }

  /**
   * Sends commands and waits for the outcome also when the caller has gone, because the breaker
   * must hear of every call.
   */
  async #send(commands: readonly RedisCommand[]): Promise<CallOutcome> {
    const replies = await this.#repliesTo(commands)
    if (replies === undefined) return FAILED
    if (replies.length < commands.length) {
      this.#breaker.lost()
      return FAILED
    }
    const [first] = replies
    if (isErrorReply(first) && replies.every(isServerFailure)) {
      this.#breaker.failed()
      this.#tell(replyReason(first))
      return FAILED
    }
    this.#breaker.succeeded()
    if (this.#breaker.isClosed) this.#tell(null)
    return { kind: 'answered', replies }
  }

  /** @returns those that came; undefined when the time was over */
  async #repliesTo(commands: readonly RedisCommand[]): Promise<RedisReply[] | undefined> {
    const pipeline = this.#redis.pipeline()
    for (const [name, ...args] of commands) pipeline.callBuffer(name, ...args)
    const results = await within(patientTimer, this.#callWithinMs, pipeline.exec(), undefined)
    if (results === undefined) {
      this.#breaker.timedOut()
      this.#tell(`does not answer within ${this.#callWithinMs} ms`)
      this.#giveUp()
      return undefined
    }
    return (results ?? [])
      .map(([error, value]) => replyOf(error, value))
      .filter((reply) => reply !== undefined)
  }

  /** Says the first words on a connection. Never rejects. */
  async #greet(pauses: Backoff): Promise<void> {
    const isWell = await this.#ping()
    if (isWell === undefined) return
    if (isWell) pauses.reset()
    if (isWell && this.#breaker.isClosed) this.#tell(null)
    else this.#probeLater()
  }

  /** @returns whether the server replied and refused nothing; undefined when no reply came */
  async #ping(): Promise<boolean | undefined> {
    const [reply] = (await this.#repliesTo([['PING']])) ?? []
    if (reply === undefined) return undefined
    if (!isRefusal(reply)) return true
    this.#tell(replyReason(reply))
    return false
  }

  #probeLater(): void {
    this.#cancelProbe()
    if (!this.#isClosed) this.#cancelProbe = patientTimer.after(OPEN_MS, () => void this.#probe())
  }

  /** Finds out whether the server is well again, unless a call has done so. Never rejects. */
  async #probe(): Promise<void> {
    if (this.#problem === null || !this.#canSend()) return
    if (!this.#breaker.admit()) return this.#probeLater()
    const isWell = await this.#ping()
    if (isWell === undefined) return this.#breaker.lost()
    if (!isWell) {
      this.#breaker.failed()
      return this.#probeLater()
    }
    this.#breaker.succeeded()
    this.#tell(null)
  }

  /**
   * Gives the connection up, but only one that stands: for one that is being made, the client would
   * make no other.
   */
  #giveUp(): void {
    if (this.#redis.status !== 'ready' || this.#isGivenUp || this.#isClosed) return
    this.#isGivenUp = true
    this.#redis.disconnect(true)
  }

  #tell(problem: string | null): void {
    const full = problem === null ? null : `Redis at ${this.#place} ${problem}`
    if (this.#isClosed || full === this.#problem) return
    this.#problem = full
    if (full === null) this.#told.clear()
    else if (this.#told.has(full)) return
    else this.#told.add(full)
    this.#onProblem(full)
  }
}

/**
 * A client for libraries that bring their own commands: it queues nothing, sends nothing twice, and
 * waits no longer for a reply than a call here does. Errors of the connection are not told.
 *
 * @param answerWithinMs how long a reply may take, for who serves nobody meanwhile
 * @throws {StoreOpenError} when the address makes no sense
 */
export function openRedisClient(url: string, answerWithinMs = CALL_WITHIN_MS): Redis {
  const read = readRedisUrl(url)
  if (!read.ok) throw new StoreOpenError('bad-address', `the address of Redis: ${read.message}`)
  const pauses = new Backoff(patientTimer, PAUSE_BOUNDS)
  const options = { ...clientOptions(read.address, pauses), commandTimeout: answerWithinMs }
  const redis = openClient(options)
  redis.on('error', () => {})
  redis.on('ready', () => {
    redis.ping((error, value) => {
      const reply = replyOf(error, value)
      if (reply !== undefined && !isRefusal(reply)) pauses.reset()
    })
  })
  return redis
}

function openClient(options: ReturnType<typeof clientOptions>): Redis {
  const redis = new Redis(options)
  redis.once('close', () => {
    redis.options.connectTimeout = CONNECT_TIMEOUT_MS
  })
  return redis
}

function clientOptions(address: RedisAddress, pauses: Backoff) {
  const { at, isTls, username, password, database } = address
  return {
    ...at,
    ...(isTls ? { tls: {} } : {}),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    db: database,
    protocol: 2 as const,
    connectTimeout: FIRST_CONNECT_TIMEOUT_MS,
    commandTimeout: HANDSHAKE_COMMAND_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    autoResendUnfulfilledCommands: false,
    disableClientInfo: true,
    // Nothing is sent twice: what is in flight when a connection ends has failed.
    maxRetriesPerRequest: 0,
    // The client's own count of attempts begins anew with each that connects.
    retryStrategy: () => scattered(pauses.take()),
  }
}

/** Makes half of the pause random, because many workers must not come back at once. */
function scattered(pauseMs: number): number {
  return pauseMs / 2 + (Math.random() * pauseMs) / 2
}

/**
 * Tells whether the server refuses a greeting: one that says no to this command is there for
 * others.
 */
function isRefusal(reply: RedisReply): reply is ErrorReply {
  return isErrorReply(reply) && reply.code !== NO_PERMISSION
}

function replyReason({ code, isUnknownCommand }: ErrorReply): string {
  return isUnknownCommand ? 'is too old: 6.2 or later is needed' : `refuses: ${code}`
}

/**
 * Names the cause without the client's own message: its errors carry the command, and that may be
 * the password.
 */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no connection'
  const reply = replyOf(error, null)
  if (isErrorReply(reply)) return reply.code
  return 'code' in error && typeof error.code === 'string' ? error.code : 'no connection'
}
