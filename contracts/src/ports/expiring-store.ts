/**
 * PORT: a store of texts that expire. It keeps what a model was asked and said, which is in no
 * event: answers for retries with an `Idempotency-Key`, and responses that later requests continue.
 * The ledger does not need it: losing all of it costs no money.
 *
 * The store does not know what a text means. It keeps it under an account and an id, within bounds.
 */
export interface ExpiringStore {
  /**
   * Keeps a text, and replaces one with the same id. It evicts old texts when there is no room: of
   * this account when the account is over its own bound, and of the account that has the most when
   * all together are over theirs. So an account that uses no more than an equal share loses nothing
   * to others.
   *
   * @param expiresAt milliseconds since 1970
   */
  save(accountId: string, id: string, text: string, expiresAt: number): Promise<void>
  /** @param now milliseconds since 1970; a text that has expired by then is not returned */
  load(accountId: string, id: string, now: number): Promise<string | undefined>
  /** @returns whether there was one, expired or not */
  remove(accountId: string, id: string): Promise<boolean>
  /** Removes all texts of an account. @returns how many there were */
  removeAll(accountId: string): Promise<number>
  /** Removes what has expired, at most `limit` texts. @returns how many were removed */
  removeExpired(now: number, limit: number): Promise<number>
  close(): Promise<void>
}
