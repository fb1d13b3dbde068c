/** What the prefix cache did since the worker started. */
import { BLOCK_TOKENS } from '@svc/contracts/ports/prefix-store'

export class CacheCounts {
  lookups = 0
  hits = 0
  readonly reusedTokens = { l1: 0, l2: 0 }
  waits = 0
  notWorthFetching = 0
  restoreFailures = 0

  /** @param fetched how many of the reused blocks came from Redis */
  reused(blocks: number, fetched: number): void {
    if (blocks > 0) this.hits += 1
    this.reusedTokens.l1 += (blocks - fetched) * BLOCK_TOKENS
    this.reusedTokens.l2 += fetched * BLOCK_TOKENS
  }
}
