/** PORT: an index of the Idempotency-Keys that the state of an account no longer holds. */
import type { Position } from './event-store.ts'

/** The request that an Idempotency-Key belongs to. */
export interface UsedKey {
  readonly requestId: string
  readonly bodyHash: string
  readonly isRunning: boolean
}

/** Finds the Idempotency-Keys of an account in the log: all of them, however old. */
export interface UsedKeys {
  /**
   * @param upTo position that the answer has to cover
   * @returns the last request that came with the key; undefined when there is none, or when it
   *   ended without a debit: then the key is free
   * @throws {ServiceError} `view_behind` when no view covers `upTo` yet
   */
  find(accountId: string, keyHash: string, upTo: Position): Promise<UsedKey | undefined>
}
