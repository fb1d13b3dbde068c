/** What is said to a request whose Idempotency-Key belongs to another one. */
import type { UsedKey } from '@svc/contracts/ports/used-keys'
import type { Refusal } from './decision.ts'

const RETRY_SECONDS = 1

/** @param bodyHash of the request that comes with the key again */
export function refusalOfUsedKey(used: UsedKey, bodyHash: string): Refusal {
  const { requestId } = used
  if (used.bodyHash !== bodyHash) {
    const message = 'This Idempotency-Key was used with a different body.'
    return { code: 'idempotency_key_reused', message, requestId }
  }
  if (used.isRunning) {
    const message = 'A request with this Idempotency-Key is still running.'
    const retryAfterSeconds = RETRY_SECONDS
    return { code: 'idempotency_key_in_use', message, requestId, retryAfterSeconds }
  }
  const message = `The request of this Idempotency-Key has ended; its receipt is ${requestId}.`
  return { code: 'idempotency_answer_gone', message, requestId }
}
