import type { RequestAudit } from './request-audit.ts'
import type { Invariant } from './violation.ts'

/**
 * I19, in the log of one account: a key is used again only when its request ended without a debit.
 */
export class KeyAudit {
  /** The last request of each key. */
  readonly #requests = new Map<string, RequestAudit>()

  take(request: RequestAudit, report: (invariant: Invariant, problem: string) => void): void {
    const { idempotency } = request.accepted
    if (idempotency === null) return
    const earlier = this.#requests.get(idempotency.keyHash)
    if (earlier?.running === true) report('I19', 'has the key of a request that runs')
    if ((earlier?.debits ?? 0) > 0) report('I19', 'has the key of a request that was debited')
    this.#requests.set(idempotency.keyHash, request)
  }
}
