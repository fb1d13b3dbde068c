/**
 * The servers that a gateway without views asks for them: projectors, each a replica of the others.
 * The one that answered last is asked first; while none answers, questions about views are refused
 * at once or after a wait with one bound for all servers together, and requests go on.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { Position } from '@svc/contracts/ports/event-store'
import { pause, type Timer } from '@svc/contracts/ports/time'
import type { Caller } from '@svc/ledger/ledger'
import { type Dispatcher, Pool } from 'undici'
import { hopHeaders } from './hop-headers.ts'

const CONNECT_TIMEOUT_MS = 1_000
/** Of one server, and of one of several no more than its share of the whole. */
const HEADERS_TIMEOUT_MS = 10_000
/** How long a question waits for any server's answer to begin: then it is refused. */
const ANSWER_WITHIN_MS = 15_000
/** The time between two pieces of an answer, which can be a file of any length. */
const BODY_TIMEOUT_MS = 30_000
/** Questions that wait for an answer to begin. */
const QUESTIONS_MAX = 256
const KEEP_ALIVE_MS = 4_000
/** How often each is asked: while one is restarted another one may just have been. */
const ROUNDS_MAX = 3
const PAUSE_MS = 300
/** Servers that took longer than this to refuse, together, say the same when asked once more. */
const ROUNDS_WITHIN_MS = 3_000
const UNAUTHORIZED = 401
const FIRST_SERVER_ERROR = 500

export interface ViewServersOptions {
  /** `http://host:port` each, at least one. */
  readonly urls: readonly string[]
  readonly secret: string
  readonly timer: Timer
  /** Is called for every question that no server could answer. */
  onTrouble(cause: unknown): void
}

export interface ViewQuestion {
  readonly method: string
  /** The path with its query. */
  readonly path: string
  /** Null for somebody without a key. */
  readonly caller: Caller | null
  /** What the views must hold. */
  readonly after?: Position | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export type ViewAnswer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>

export class ViewServers {
  readonly #options: ViewServersOptions
  readonly #servers: readonly Pool[]
  #first = 0
  #asking = 0

  constructor(options: ViewServersOptions) {
    this.#options = options
    this.#servers = options.urls.map(
      (url) =>
        new Pool(url, {
          // An answer that is read slowly keeps its connection, and no question of others from
          // having one: it would wait there, without an end. Places bound what one account reads.
          connections: null,
          connectTimeout: CONNECT_TIMEOUT_MS,
          headersTimeout: Math.min(HEADERS_TIMEOUT_MS, ANSWER_WITHIN_MS / options.urls.length),
          bodyTimeout: BODY_TIMEOUT_MS,
          keepAliveTimeout: KEEP_ALIVE_MS,
        }),
    )
  }

  /**
   * The answer of the first server that has one, whatever it says of the question.
   *
   * @throws {ServiceError} `view_behind` when none has
   */
  async ask(question: ViewQuestion): Promise<ViewAnswer> {
    if (this.#asking >= QUESTIONS_MAX) throw viewsAway('too many questions wait')
    this.#asking += 1
    const time = new QuestionTime(this.#options.timer)
    try {
      return await this.#askEach(question, time)
    } finally {
      time.end()
      this.#asking -= 1
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.destroy()))
  }

  async #askEach(question: ViewQuestion, time: QuestionTime): Promise<ViewAnswer> {
    const asked = this.#servers.length
    let trouble: unknown = 'none is named'
    for (let tries = 0; tries < ROUNDS_MAX * asked && !time.isOver; tries += 1) {
      if (tries > 0 && tries % asked === 0) {
        if (!time.isLeftForRounds) break
        await pause(this.#options.timer, PAUSE_MS, question.signal)
        question.signal?.throwIfAborted()
      }
      const at = (this.#first + tries) % this.#servers.length
      try {
        const answer = await this.#askOne(at, question, time)
        if (isAnswer(answer)) {
          this.#first = at
          return answer
        }
        trouble = new Error(`${this.#options.urls[at]} answers with ${answer.statusCode}`)
        await answer.body.dump()
      } catch (cause) {
        question.signal?.throwIfAborted()
        trouble = cause
      }
    }
    this.#options.onTrouble(trouble)
    throw viewsAway(trouble)
  }

  async #askOne(at: number, question: ViewQuestion, time: QuestionTime): Promise<ViewAnswer> {
    const { method, path, caller, after, headers, signal } = question
    const server = this.#servers[at]
    if (server === undefined) throw new RangeError(`there is no server ${at}`)
    return server.request({
      method: method as Dispatcher.HttpMethod,
      path,
      headers: {
        ...headers,
        ...hopHeaders(caller, after),
        authorization: `Bearer ${this.#options.secret}`,
      },
      signal: signal === undefined ? time.over : AbortSignal.any([signal, time.over]),
    })
  }
}

/** The time of one question, from its start until an answer begins. */
class QuestionTime {
  readonly #over = new AbortController()
  readonly #timers: readonly (() => void)[]
  isLeftForRounds = true

  constructor(timer: Timer) {
    this.#timers = [
      timer.after(ANSWER_WITHIN_MS, () => this.#over.abort(new Error('no answer in time'))),
      timer.after(ROUNDS_WITHIN_MS, () => {
        this.isLeftForRounds = false
      }),
    ]
  }

  /** Aborted when the time is over: never once the question has ended. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  get isOver(): boolean {
    return this.#over.signal.aborted
  }

  end(): void {
    for (const cancel of this.#timers) cancel()
  }
}

/** A server that stops, or knows another secret, has none; another one may. */
function isAnswer({ statusCode }: ViewAnswer): boolean {
  return statusCode < FIRST_SERVER_ERROR && statusCode !== UNAUTHORIZED
}

function viewsAway(cause: unknown): ServiceError {
  const message =
    'Statements, usage and receipts cannot be shown now; requests are answered as before. ' +
    'Please try again.'
  return new ServiceError('view_behind', message, { retryAfterSeconds: 1, cause })
}
