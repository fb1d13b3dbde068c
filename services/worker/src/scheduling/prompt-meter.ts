/**
 * Counts what of a prompt was computed and what was not, twice: by what this worker did, and by the
 * runtime's own counter of evaluated tokens. When the two differ, the customer gets the cheaper
 * reading and an alarm is raised.
 */
import type { Loan } from './sequences/loan.ts'

export interface PromptCounts {
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly evaluatedTokens: number
  readonly reusedTokens: number
  /** Whole blocks among them. */
  readonly blocks: number
  readonly source: Loan['source']
  readonly lastBlockHash: string | null
  /** False when the runtime counted other than this worker. */
  readonly witnessed: boolean
}

export const nothingComputed: PromptCounts = {
  inputTokens: 0,
  cachedInputTokens: 0,
  evaluatedTokens: 0,
  reusedTokens: 0,
  blocks: 0,
  source: 'none',
  lastBlockHash: null,
  witnessed: true,
}

export class PromptMeter {
  readonly #first: Loan
  #computed = 0
  /** What the runtime counted, and what it should have. */
  #witness = { evaluated: 0, expected: 0 }
  #isClosed = false

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

  /**
   * The prompt leaves this sequence, and may go on in another: the runtime's counter is read.
   *
   * @param loan the one that it is on now: a retry computes what the first loan had reused
   * @param held leading tokens of the prompt that its sequence holds
   */
  leave(loan: Loan, held: number): void {
    if (this.#isClosed) return
    this.#witness = {
      evaluated: this.#witness.evaluated + loan.sequence.evaluatedTokens - loan.evaluatedBefore,
      expected: this.#witness.expected + held - loan.reusedTokens,
    }
  }

  /** The prompt is complete, or ends here: what is computed from here on belongs to the answer. */
  close(loan: Loan, held: number): void {
    this.leave(loan, held)
    this.#isClosed = true
  }

  counts(): PromptCounts {
    const { evaluated, expected } = this.#witness
    // What a retry computes twice is not charged twice, and what was not computed is not charged.
    const inputTokens = Math.min(this.#computed, evaluated)
    const { reusedTokens, reusedBlocks, source, lastBlockHash } = this.#first
    return {
      inputTokens,
      cachedInputTokens: this.covered - inputTokens,
      evaluatedTokens: evaluated,
      reusedTokens,
      blocks: reusedBlocks,
      source,
      lastBlockHash,
      witnessed: evaluated === expected,
    }
  }
}
