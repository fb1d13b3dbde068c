/** What a scripted worker tells of itself: nothing has happened yet. */
import type { StateAnswer, TierState } from '@svc/contracts/worker/protocol'

export const emptyTier: TierState = {
  blocks: 0,
  bytes: 0,
  bytesMax: 0,
  evictions: 0,
  hits: 0,
  misses: 0,
  writes: 0,
  refused: 0,
  failures: 0,
  corrupt: 0,
}

export const freshState: StateAnswer = {
  queued: 0,
  running: 0,
  sequences: 8,
  ended: 0,
  totals: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
  cache: {
    lookups: 0,
    hits: 0,
    reusedTokens: { l1: 0, l2: 0 },
    waits: 0,
    notWorthFetching: 0,
    restoreFailures: 0,
    l1: null,
    l2: null,
  },
  batches: { prompt: 0, promptTokens: 0, decode: 0, decodeTokens: 0 },
  meterMismatches: 0,
}
