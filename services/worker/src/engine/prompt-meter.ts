/**
 * Counts what of a prompt was computed and what was not, twice: by what this worker did, and by the
 * runtime's own counter of evaluated tokens. When the two differ, the customer gets the cheaper
 * reading and an alarm is logged.
 */
import { BLOCK_TOKENS } from './engine.ts'
import type { Loan } from './sequences.ts'

export interface PromptCounts {
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly evaluatedTokens: number
  readonly blocks: number
  readonly lastBlockHash: string | null
  /** False when the runtime counted other than this worker. */
  readonly witnessed: boolean
}

export const nothingComputed: PromptCounts = {
  inputTokens: 0,
  cachedInputTokens: 0,
  evaluatedTokens: 0,
  blocks: 0,
  lastBlockHash: null,
  witnessed: true,
}

export class PromptMeter {
  readonly #first: Loan
  #computed = 0
  #evaluated: number | undefined

  /** @param first the loan that the request began on: what a retry repeats is not charged */
  constructor(first: Loan) {
    this.#first = first
  }

  /** Tokens of the prompt that are in the sequence because this request computed or reused them. */
  get covered(): number {
    return this.#first.reusedTokens + this.#computed
  }

  /** @param covered leading tokens of the prompt that are in the sequence now */
  advance(covered: number): void {
    this.#computed = Math.max(this.#computed, covered - this.#first.reusedTokens)
  }

  /** The prompt is complete, or ends here: the runtime's counter is read once. */
  close(loan: Loan): void {
    this.#evaluated ??= loan.sequence.evaluatedTokens - loan.evaluatedBefore
  }

  counts(): PromptCounts {
    const evaluatedTokens = this.#evaluated ?? this.#computed
    const inputTokens = Math.min(this.#computed, evaluatedTokens)
    return {
      inputTokens,
      cachedInputTokens: this.covered - inputTokens,
      evaluatedTokens,
      blocks: this.#first.reusedTokens / BLOCK_TOKENS,
      lastBlockHash: this.#first.lastBlockHash,
      witnessed: evaluatedTokens === this.#computed,
    }
  }
}
