/**
 * What a batch of next tokens costs by how many answers share it, as it was measured. No formula
 * says it: the kernels for two rows are other ones than those for one or for four, so that two
 * answers can take three times as long as one, and four hardly longer than two.
 *
 * Between two measured widths the line through them holds, and below the narrowest the line through
 * nothing. What is wider than all that was measured is taken to cost no more, so that it is tried.
 */

/** What the batches before weigh beside the newest of their width: about ten count. */
const KEPT_SHARE = 0.9
/** A width that was not measured in as many batches is forgotten, and tried again. */
const KEPT_BATCHES = 500

interface Measured {
  readonly ms: number
  /** The number of the last batch of that width. */
  readonly batch: number
}

export class BatchCost {
  /** Measured times by width. There are at most as many as the model has sequences. */
  readonly #measured = new Map<number, Measured>()
  #batch = 0

  measured(answers: number, ms: number): void {
    this.#batch += 1
    const before = this.#measured.get(answers)?.ms ?? ms
    const mean = KEPT_SHARE * before + (1 - KEPT_SHARE) * ms
    this.#measured.set(answers, { ms: mean, batch: this.#batch })
    for (const [width, { batch }] of this.#measured) {
      if (this.#batch - batch > KEPT_BATCHES) this.#measured.delete(width)
    }
  }

  /** Whether this very width was measured lately. */
  knows(answers: number): boolean {
    return this.#measured.has(answers)
  }

  /** Milliseconds; 0 before anything was measured. */
  of(answers: number): number {
    let narrower = { width: 0, ms: 0 }
    let wider: { readonly width: number; readonly ms: number } | undefined
    for (const [width, { ms }] of this.#measured) {
      if (width <= answers && width >= narrower.width) narrower = { width, ms }
      if (width > answers && width < (wider?.width ?? Number.POSITIVE_INFINITY)) {
        wider = { width, ms }
      }
    }
    if (wider === undefined) return narrower.ms
    const way = (answers - narrower.width) / (wider.width - narrower.width)
    return narrower.ms + way * (wider.ms - narrower.ms)
  }
}
