/**
 * The request log: a line for every inference request, or for those that were refused or failed,
 * and a note of each refusal that it can be found by for a month. Ids, tokens, money and times;
 * nothing of what was asked or answered.
 */
import type { ServiceError } from '@svc/contracts/errors'
import type { WireFormat } from '@svc/contracts/events/account'
import { formatExact, type PicoDollars } from '@svc/contracts/money'
import type { RefusedRequests } from '@svc/contracts/ports/refused-requests'
import type {
  BilledTokens,
  ObservedRequest,
  ObservedRun,
  RequestIdentity,
  RequestObserver,
} from '@svc/contracts/ports/request-observer'
import type { Clock } from '@svc/contracts/ports/time'

type RequestLogMode = 'all' | 'errors' | 'off'

/** Lines about errors; a flood of refusals fills no disk. What is beyond it is counted. */
const ERROR_LINES_PER_SECOND = 50
const SECOND_MS = 1_000
/** Their messages may quote what was sent. */
const QUOTING_STATUSES: ReadonlySet<number> = new Set([400, 422])

export interface RequestLogOptions {
  readonly mode: RequestLogMode
  readonly refusedRequests: Pick<RefusedRequests, 'note'>
  readonly clock: Clock
  /** Writes one line. */
  readonly log: { info(fields: object, message: string): void }
}

type Outcome = 'answered' | 'replayed' | 'stopped' | 'refused' | 'failed'

interface Line {
  readonly outcome: Outcome
  readonly format: WireFormat
  readonly model: string | null
  /** Is null when the client had left. */
  readonly status: number | null
  readonly code: string | null
  readonly [field: string]: unknown
}

export class RequestLog implements RequestObserver {
  readonly #options: RequestLogOptions
  /** The second that is counted, the lines written in it, and those that were left out. */
  #second = 0
  #lines = 0
  #leftOut = 0

  constructor(options: RequestLogOptions) {
    this.#options = options
  }

  begin(format: WireFormat, identity: RequestIdentity): ObservedRequest {
    return new LoggedRequest(this, format, identity)
  }

  refused(format: WireFormat, error: ServiceError, identity: RequestIdentity): void {
    this.refusedWith({ format, model: null, error, identity, line: {} })
  }

  /** A request that ended with an error. */
  refusedWith({
    format,
    model,
    error,
    identity,
    line,
  }: {
    readonly format: WireFormat
    readonly model: string | null
    readonly error: ServiceError
    readonly identity: RequestIdentity
    readonly line: object
  }): void {
    const { status } = error.entry
    const { code } = error
    const at = this.#options.clock.nowMs()
    const message = QUOTING_STATUSES.has(status) ? null : error.message
    this.#options.refusedRequests.note({ ...identity, at, format, model, status, code, message })
    const outcome = status < 500 ? 'refused' : 'failed'
    this.write(identity, { outcome, format, model, status, code, ...line })
  }

  write(identity: RequestIdentity, line: Line): void {
    const { mode, log } = this.#options
    const isError = line.code !== null
    if (mode === 'off' || (mode === 'errors' && !isError)) return
    if (isError && !this.#takeErrorLine()) return
    log.info({ ...identity, ...line }, 'request')
  }

  #takeErrorLine(): boolean {
    const second = Math.floor(this.#options.clock.nowMs() / SECOND_MS)
    if (second !== this.#second) {
      if (this.#leftOut > 0) this.#options.log.info({ lines: this.#leftOut }, 'requests left out')
      this.#second = second
      this.#lines = 0
      this.#leftOut = 0
    }
    this.#lines += 1
    if (this.#lines <= ERROR_LINES_PER_SECOND) return true
    this.#leftOut += 1
    return false
  }
}

class LoggedRequest implements ObservedRequest {
  readonly #log: RequestLog
  readonly #format: WireFormat
  readonly #identity: RequestIdentity
  readonly #beganAtMs = performance.now()
  #model: string | null = null
  #run: object | undefined
  #failure: ServiceError | undefined

  constructor(log: RequestLog, format: WireFormat, identity: RequestIdentity) {
    this.#log = log
    this.#format = format
    this.#identity = identity
  }

  named(model: string): void {
    this.#model = model
  }

  settled({ firstTokenAtMs }: ObservedRun, billed: readonly BilledTokens[]): void {
    let cost: PicoDollars = 0n
    for (const { amount } of billed) cost += amount
    const first = firstTokenAtMs === undefined ? null : firstTokenAtMs - this.#beganAtMs
    this.#run = {
      tokens: Object.fromEntries(billed.map((line) => [line.class, line.tokens])),
      cost: formatExact(cost),
      firstTokenMs: first === null ? null : Math.round(first),
    }
  }

  broke(error: ServiceError): void {
    this.#failure = error
  }

  ended(outcome: 'answered' | 'left' | ServiceError): void {
    const [format, model, identity] = [this.#format, this.#model, this.#identity]
    const line = { ...this.#run, totalMs: Math.round(performance.now() - this.#beganAtMs) }
    const error = typeof outcome === 'string' ? this.#failure : outcome
    if (error !== undefined && outcome !== 'left') {
      this.#log.refusedWith({ format, model, error, identity, line })
      return
    }
    const ran = this.#run === undefined ? 'replayed' : 'answered'
    const [status, word] = outcome === 'left' ? [null, 'stopped' as const] : [200, ran as Outcome]
    this.#log.write(identity, { outcome: word, format, model, status, code: null, ...line })
  }
}
