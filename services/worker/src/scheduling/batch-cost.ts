/**
 * What a batch of next tokens costs by how many answers share it: `fixed + each × answers`, fitted
 * to the batches that were measured, the newest counting most. On a large model the fixed part is
 * nearly all, and sharing is free; on a small one each answer costs about as much as the first.
 */

/** Batches of the same width tell nothing about others: this variance is the least that does. */
const VARIANCE_MIN = 0.25
/** What a measurement still weighs when the next one comes: about fifty of them count. */
const KEPT_SHARE = 0.98

export class BatchCost {
  #weight = 0
  #answers = 0
  #ms = 0
  #answersSquared = 0
  #answersMs = 0

  measured(answers: number, ms: number): void {
    this.#weight = this.#weight * KEPT_SHARE + 1
    this.#answers = this.#answers * KEPT_SHARE + answers
    this.#ms = this.#ms * KEPT_SHARE + ms
    this.#answersSquared = this.#answersSquared * KEPT_SHARE + answers * answers
    this.#answersMs = this.#answersMs * KEPT_SHARE + answers * ms
  }

  /** Whether batches of several widths were measured lately. */
  get isKnown(): boolean {
    return this.#spread > VARIANCE_MIN * this.#weight ** 2
  }

  get usualAnswers(): number {
    return this.#weight === 0 ? 0 : this.#answers / this.#weight
  }

  /** Milliseconds; without what an answer adds, until that is known. */
  of(answers: number): number {
    if (this.#weight === 0) return 0
    const together = this.#weight * this.#answersMs - this.#answers * this.#ms
    const each = this.isKnown ? Math.max(0, together / this.#spread) : 0
    const fixed = Math.max(0, (this.#ms - each * this.#answers) / this.#weight)
    return fixed + each * answers
  }

  get #spread(): number {
    return this.#weight * this.#answersSquared - this.#answers ** 2
  }
}
