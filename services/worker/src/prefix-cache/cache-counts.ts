/** What the prefix cache did since the worker started. */
export class CacheCounts {
  lookups = 0
  hits = 0
  readonly reusedTokens = { l1: 0, l2: 0 }
  waits = 0
  notWorthFetching = 0
  restoreFailures = 0
  answerTokensRead = 0

  /** @param near how many of the reused tokens did not come from Redis */
  reused(tokens: number, near: number): void {
    if (tokens > 0) this.hits += 1
    this.reusedTokens.l1 += near
    this.reusedTokens.l2 += tokens - near
  }
}
