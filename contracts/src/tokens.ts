/**
 * The one meter behind every wire format: three disjoint classes, so that nothing is counted twice.
 *
 * `inputTokens` is the part of the prompt that the worker computed, `cachedInputTokens` the part it
 * did not have to; together they are the prompt. `outputTokens` includes reasoning. Each wire
 * format derives its own view from this triple.
 */
import { z } from 'zod'

export interface TokenCounts {
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
}

export const tokenClasses = ['input', 'cached_input', 'output'] as const
export type TokenClass = (typeof tokenClasses)[number]

const TOKENS_MAX = 1_000_000_000

/** A count of tokens: a whole number from 0 to 10⁹. */
export const tokenCount = z.int().min(0).max(TOKENS_MAX)

/** The same check by hand, for what is counted twice for every request. */
export function isTokenCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= TOKENS_MAX
}

/** The whole prompt: what was computed and what came from the cache. */
export function promptTokens(counts: TokenCounts): number {
  return counts.inputTokens + counts.cachedInputTokens
}
