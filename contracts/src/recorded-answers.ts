/**
 * Answers that are kept so that a retry with the same `Idempotency-Key` is given the same answer.
 * They live beside the ledger, never in it: encrypted, with a time to live, and lost without harm
 * (the retry is then refused with the receipt's id; it is never billed or run twice).
 */

export interface RecordedAnswer {
  readonly status: number
  readonly contentType: string
  /** The body as it was sent; for a stream, all of it. */
  readonly body: string
}

export interface RecordedAnswers {
  /** @param expiresAt milliseconds since 1970 */
  save(
    accountId: string,
    requestId: string,
    answer: RecordedAnswer,
    expiresAt: number,
  ): Promise<void>
  /** @param now milliseconds since 1970; an answer that has expired by then is not returned */
  load(accountId: string, requestId: string, now: number): Promise<RecordedAnswer | undefined>
  /** Removes what has expired, at most `limit` answers. @returns how many were removed */
  removeExpired(now: number, limit: number): Promise<number>
  close(): Promise<void>
}
