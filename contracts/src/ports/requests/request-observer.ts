/**
 * Port: an observer of inference requests, which counts and times them. It decides nothing, and a
 * gateway runs without one.
 *
 *     begin ─▶ settled? ─▶ broke? ─▶ ended       a request that got as far as its answer
 *     refused                                    one that did not: no key, too much under way …
 */
import type { ServiceError } from '../../errors.ts'
import type { WireFormat } from '../../events/account.ts'
import type { PicoDollars } from '../../money.ts'
import type { TokenClass } from '../../tokens.ts'
import type { WorkerMeter } from '../../worker/protocol.ts'

export interface RequestIdentity {
  readonly requestId: string
  /** Is null without a valid key. */
  readonly accountId: string | null
  readonly keyId: string | null
}

export interface RequestObserver {
  begin(format: WireFormat, identity: RequestIdentity): ObservedRequest
  refused(format: WireFormat, error: ServiceError, identity: RequestIdentity): void
}

export interface ObservedRun {
  /** The time when the first token reached the gateway, by `performance.now()`. */
  readonly firstTokenAtMs: number | undefined
  readonly meter: Pick<WorkerMeter, 'outputTokens' | 'latencies'> | undefined
}

export interface BilledTokens {
  readonly class: TokenClass
  readonly tokens: number
  readonly amount: PicoDollars
}

export interface ObservedRequest {
  /** Is called when the body was read, and asks for this model. */
  named(model: string): void
  /**
   * Is called when the run is over, and its end is in the ledger. A replayed answer has no run.
   *
   * @param billed the lines of its debit; none when the request ended without a charge
   */
  settled(run: ObservedRun, billed: readonly BilledTokens[]): void
  /** The answer had begun when it failed: its stream ends with the error. */
  broke(error: ServiceError): void
  /**
   * Is called once, at the end.
   *
   * @param outcome what the caller was answered with, or that it had left
   */
  ended(outcome: 'answered' | 'left' | ServiceError): void
}

const unobserved: ObservedRequest = {
  named: () => {},
  settled: () => {},
  broke: () => {},
  ended: () => {},
}

export const noObserver: RequestObserver = { begin: () => unobserved, refused: () => {} }

/** Tells each of several observers. */
export function observedBy(observers: readonly RequestObserver[]): RequestObserver {
  return {
    begin(format, identity) {
      const requests = observers.map((each) => each.begin(format, identity))
      return {
        named: (model) => requests.forEach((each) => void each.named(model)),
        settled: (run, billed) => requests.forEach((each) => void each.settled(run, billed)),
        broke: (error) => requests.forEach((each) => void each.broke(error)),
        ended: (outcome) => requests.forEach((each) => void each.ended(outcome)),
      }
    },
    refused: (format, error, identity) =>
      observers.forEach((each) => void each.refused(format, error, identity)),
  }
}
