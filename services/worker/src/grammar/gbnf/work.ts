/**
 * Counts what compiling costs in elementary steps (an item of a list looked at, copied or written),
 * so that the same schema is refused on every machine, however fast or busy it is.
 */

/** The work was more than was allowed. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork'
}

/** Steps that all schemas of one request may cost together: about 0.1 s of one core. */
export const REQUEST_STEPS_MAX = 500_000

export class Work {
  readonly #stepsMax: number
  readonly #parent: Work | null
  #steps = 0

  /** @param parent is charged as well, and has a bound of its own */
  constructor(stepsMax: number = REQUEST_STEPS_MAX, parent: Work | null = null) {
    this.#stepsMax = stepsMax
    this.#parent = parent
  }

  /** Steps spent so far. */
  get steps(): number {
    return this.#steps
  }

  /** @throws TooMuchWork when this, or what it is a part of, has no steps left */
  spend(steps: number): void {
    this.#steps += steps
    this.#parent?.spend(steps)
    if (this.#steps > this.#stepsMax) throw new TooMuchWork()
  }

  /** A part of this work that may take at most `stepsMax` of its steps. */
  part(stepsMax: number): Work {
    return new Work(stepsMax, this)
  }
}
