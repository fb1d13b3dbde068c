/**
 * Port: why requests were refused, for whoever is asked about one by its id. Beside the ledger, for
 * a month, and lost without harm to the books. Nothing of what a request said is kept.
 */
import type { ErrorCode } from '../../errors.ts'
import type { WireFormat } from '../../events/account.ts'

export interface RefusedRequest {
  readonly requestId: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Is null without a valid key. */
  readonly accountId: string | null
  readonly keyId: string | null
  readonly format: WireFormat
  /** Is null when the request was refused before its body was read. */
  readonly model: string | null
  readonly status: number
  readonly code: ErrorCode
  /** The message that the caller was told; null where that may quote the request. */
  readonly message: string | null
}

export interface RefusedRequests {
  /**
   * Keeps it within a second. What is beyond a bound pushes out what is older of the same account;
   * those without an account have a room of their own. Never throws.
   */
  note(request: RefusedRequest): void
  /** @returns undefined when it was never refused, or is no longer kept */
  find(requestId: string): RefusedRequest | undefined
  /** Writes what is noted. Idempotent. */
  close(): void
}
