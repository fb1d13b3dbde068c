/** One call of a client to a gateway, and the connection that it comes on. */
import type { TokenCounts } from '@svc/contracts/tokens'

export interface AskedRequest {
  readonly accountId: string
  readonly keyId: string
  readonly idempotencyKey: string | null
  /** Told by its hash: another body under the same key is refused. */
  readonly body: string
  readonly isStreamed: boolean
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly maxOutputTokens: number
  /** What the model would say, were it not stopped. */
  readonly outputTokens: number
}

export interface Reply {
  readonly requestId: string
  readonly status: number
  readonly usage: TokenCounts | null
}

export class Call {
  readonly asked: AskedRequest
  /** Resolves when the client has an end of some kind; undefined: the connection broke. */
  readonly outcome: Promise<Reply | undefined>
  /** Whether the client has seen the beginning of an answer. */
  hasBegun = false
  /** As the gateway names it, whether the client hears of it or not. */
  requestId: string | undefined
  readonly #end: (reply: Reply | undefined) => void
  readonly #gone = new AbortController()

  constructor(asked: AskedRequest) {
    this.asked = asked
    const { promise, resolve } = Promise.withResolvers<Reply | undefined>()
    this.outcome = promise
    this.#end = resolve
  }

  /** Aborted when the gateway notices that the client is gone. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** What comes after an end goes nowhere. */
  end(reply: Reply): void {
    this.#end(reply)
  }

  /** @param isNoticed whether the gateway hears of it */
  breakOff(isNoticed: boolean): void {
    this.#end(undefined)
    if (isNoticed) this.#gone.abort(new Error('the client is gone'))
  }
}
