/**
 * Responses that are kept because their caller wants to refer to them later: to go on from one
 * (`previous_response_id`), or to read it again. They live beside the ledger, never in it: what a
 * model was asked and said is in no event.
 *
 * A store knows nothing of what a response is made of: it keeps a text under an account and an id.
 */
export interface StoredResponses {
  /**
   * Keeps a response, in the place of one with the same id. Old ones of the account may give way.
   *
   * @param expiresAt milliseconds since 1970
   */
  save(accountId: string, responseId: string, body: string, expiresAt: number): Promise<void>
  /** @param now milliseconds since 1970; a response that has expired by then is not returned */
  load(accountId: string, responseId: string, now: number): Promise<string | undefined>
  /** @returns whether there was one, expired or not */
  remove(accountId: string, responseId: string): Promise<boolean>
  /** Removes what has expired, at most `limit` responses. @returns how many were removed */
  removeExpired(now: number, limit: number): Promise<number>
  close(): Promise<void>
}
