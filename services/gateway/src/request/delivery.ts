/** How an answer reaches its caller: whole at the end, or part by part as it is made. */
import type { ServiceError } from '@svc/contracts/errors'
import { formatExact } from '@svc/contracts/money'
import type { AnswerEnding, AnswerPart } from '../formats/inference-request.ts'

/** The last bytes of an answer, and all of it for a retry with the same Idempotency-Key. */
export interface LastBytes {
  readonly contentType: string
  readonly body: string
  /** What its head says of this answer; a stream sent its head before its cost was known. */
  readonly headers: Readonly<Record<string, string>>
  send(): void
}

/** Makes the headers of an answer whose debit is durable. */
export function costHeaders({ cost, balanceAfter }: AnswerEnding): Record<string, string> {
  return { 'x-svc-cost': formatExact(cost), 'x-svc-balance': formatExact(balanceAfter) }
}

export interface Delivery {
  /** Whether a part of the answer has been sent. */
  readonly started: boolean
  /** Takes parts as they come. A promise, when there is one, resolves when more can be taken. */
  parts(parts: readonly AnswerPart[]): Promise<void> | undefined
  /** Forgets the parts of a run that broke. False when some have been sent already. */
  restart(): boolean
  /** Makes the end of the answer; it leaves with `send`. */
  ending(ending: AnswerEnding): LastBytes
  /** Ends a broken answer in the stream. False when it can still be answered with a status. */
  fail(error: ServiceError): boolean
  /** No more signs of life: the end is being prepared. */
  close(): void
}
