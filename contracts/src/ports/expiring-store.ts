/**
 * Texts that are kept for a while beside the ledger, never in it: answers for retries with an
 * `Idempotency-Key`, and responses that their caller wants to go on from. What a model was asked
 * and said is in no event. Losing all of it does not harm the ledger.
 *
 * A store knows nothing of what a text is: it keeps it under an account and an id, within bounds.
 */
export interface ExpiringStore {
  /**
   * Keeps a text, in the place of one with the same id. Old ones may give way: of the account when
   * it has more than its room, and of the account that has the most when all together have. So
   * nobody loses anything to others who uses no more than an equal share.
   *
   * @param expiresAt milliseconds since 1970
   */
  save(accountId: string, id: string, text: string, expiresAt: number): Promise<void>
  /** @param now milliseconds since 1970; a text that has expired by then is not returned */
  load(accountId: string, id: string, now: number): Promise<string | undefined>
  /** @returns whether there was one, expired or not */
  remove(accountId: string, id: string): Promise<boolean>
  /** Removes what has expired, at most `limit` texts. @returns how many were removed */
  removeExpired(now: number, limit: number): Promise<number>
  close(): Promise<void>
}
