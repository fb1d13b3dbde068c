/**
 * In which batches a prompt is computed. What a batch leaves in the model's memory has to depend on
 * the tokens alone, or an answer would depend on what was cached. On a processor llama.cpp chooses
 * between ways of computing that differ in the last digits, by the rows of the batch:
 *
 *     any-token       64 rows or more, and a multiple of 4: one way for all, so memory can be cut
 *                     after any token. What is left of a prompt is filled up to that. Of a short
 *                     prompt all batches have fewer rows, which is the other way for all of it.
 *     canonical-128   chunks that end at multiples of their size: memory can be cut where a chunk
 *                     ends, and what is left is computed as it is
 *
 * The last token of a prompt is always computed alone, for the first draw. Which schedule holds for
 * a model is found out when a worker starts (see `prefix-cache/choose-schedule.ts`).
 *
 * Short and long prompts that begin alike leave different bytes, so neither reuses the other's.
 */
import type { PromptScheduleName } from '@svc/contracts/events/account'
import { BLOCK_TOKENS_MAX } from '@svc/contracts/ports/prefix-store'

/** Changes when a schedule of the same name cuts prompts into other batches. */
export const SCHEDULE_VERSION = 4
/**
 * A batch needs at least this many rows: with fewer llama.cpp attends in another way
 * (`GGML_FA_TILE_Q` of `ggml-cpu/ops.cpp`).
 */
const ROWS_MIN = 64
/** Rows are a multiple of this: in K-quants the rest of a batch goes through another kernel. */
const ROWS_STEP = 4
/**
 * A prompt of at most this many tokens is computed in batches of fewer rows than `ROWS_MIN`,
 * because filling one up would cost more than computing it. Its tokens are one block of the cache.
 */
const SHORT_TOKENS_MAX = 32
/**
 * The size of a block that can be cut anywhere. It is small because a prompt that leaves
 * another one within a block finds nothing of that block in Redis.
 */
const ANY_TOKEN_BLOCK_TOKENS = 32
/** A rest of a chunk joins the chunk before it when the two are at most this much of a chunk. */
const LAST_CHUNK_SHARE_MAX = 1.5

/** Says in which kind of batches all of a prompt is computed. */
export type PromptKind = 'short' | 'long'

export interface PromptSchedule {
  readonly name: PromptScheduleName
  /** Tokens of a block of the prefix cache. */
  readonly blockTokens: number
  /** Memory can be cut at multiples of this many tokens. */
  readonly cutTokens: number
  /** Prompts of up to this many tokens without their last are short; 0 where all are long. */
  readonly shortTokensMax: number
  /** @param tokens of the prompt without its last */
  kindOf(tokens: number): PromptKind
  readonly batches: Readonly<Record<PromptKind, PromptBatches>>
}

export interface PromptBatches {
  /**
   * Tells where the batch ends that begins at the prompt's token `from`.
   *
   * @param end the last of the prompt that is computed in batches
   */
  batchEnd(from: number, end: number): number
  /** Rows that a batch of `tokens` tokens is filled up to. */
  rowsOf(tokens: number): number
}

/** @param chunkTokens a divisor of {@link BLOCK_TOKENS_MAX} */
export function canonicalSchedule(chunkTokens: number): PromptSchedule {
  const batches: PromptBatches = {
    batchEnd: (from, end) => Math.min(end, (Math.floor(from / chunkTokens) + 1) * chunkTokens),
    rowsOf: (tokens) => tokens,
  }
  return withoutShortPrompts({
    name: 'canonical-128',
    blockTokens: BLOCK_TOKENS_MAX,
    cutTokens: BLOCK_TOKENS_MAX,
    batches: { short: batches, long: batches },
  })
}

/** @param chunkTokens what is computed at once: {@link ROWS_MIN} or more, a multiple of 4 */
export function anyTokenSchedule(chunkTokens: number): PromptSchedule {
  const most = Math.min(LAST_CHUNK_SHARE_MAX * chunkTokens, BLOCK_TOKENS_MAX)
  const wholeSteps = (tokens: number) => Math.ceil(tokens / ROWS_STEP) * ROWS_STEP
  const longBatchEnd = (from: number, end: number): number => {
    const left = end - from
    if (left <= most) return end
    // A rest that would have to be filled up gets a half of what the two last batches have.
    const isUneven = left < chunkTokens + ROWS_MIN && left >= 2 * ROWS_MIN
    return from + (isUneven ? wholeSteps(left / 2) : chunkTokens)
  }
  return {
    name: 'any-token',
    blockTokens: ANY_TOKEN_BLOCK_TOKENS,
    cutTokens: 1,
    shortTokensMax: SHORT_TOKENS_MAX,
    kindOf: (tokens) => (tokens <= SHORT_TOKENS_MAX ? 'short' : 'long'),
    batches: {
      // More than a short prompt has are computed when its answer has to be computed again.
      short: {
        batchEnd: (from, end) => Math.min(end, from + SHORT_TOKENS_MAX),
        rowsOf: wholeSteps,
      },
      long: {
        batchEnd: longBatchEnd,
        rowsOf: (tokens) => Math.max(ROWS_MIN, wholeSteps(tokens)),
      },
    },
  }
}

/** Makes the same schedule without short prompts: every prompt counts as a long one. */
export function withoutShortPrompts(
  schedule: Omit<PromptSchedule, 'shortTokensMax' | 'kindOf'>,
): PromptSchedule {
  return { ...schedule, shortTokensMax: 0, kindOf: () => 'long' }
}
