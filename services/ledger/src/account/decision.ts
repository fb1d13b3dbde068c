/** What a decision can be. A refusal is a value: the writer, not the decider, raises it. */
import type { ErrorCode, ShortFunds } from '@svc/contracts/errors'
import type { AccountEvent } from '@svc/contracts/events/account'

export interface Refusal {
  readonly code: ErrorCode
  /**
   * What the caller is told: it shows no internals. `{when}` stands for the time in that field, and
   * `{account}` for the id that was asked for.
   */
  readonly message: string
  /** The time that the message names, in milliseconds since 1970. */
  readonly when?: number | undefined
  readonly param?: string
  readonly retryAfterSeconds?: number
  readonly requestId?: string
  readonly funds?: ShortFunds
}

export type Decision =
  /** Happens. Without events: it has happened already, and asking again changes nothing. */
  | { readonly kind: 'happens'; readonly events: readonly AccountEvent[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** Decide again when a request has ended; the refusal is what to say when that takes too long. */
  | { readonly kind: 'waits'; readonly refusal: Refusal }

export const nothingToDo: Decision = { kind: 'happens', events: [] }

export function happens(...events: readonly AccountEvent[]): Decision {
  return { kind: 'happens', events }
}

export function refused(
  code: ErrorCode,
  message: string,
  details: Omit<Refusal, 'code' | 'message'> = {},
): Decision {
  return { kind: 'refused', refusal: { code, message, ...details } }
}
