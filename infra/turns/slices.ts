/**
 * Does work in slices: after each of them it can wait, so that a thread which answers everybody is
 * never held for longer than one takes. The result comes with the last.
 */
export type Slices<Result> = Generator<void, Result, void>

/** Does the work without a wait, where nobody else has the thread. @throws what a slice throws */
export function atOnce<Result>(slices: Slices<Result>): Result {
  for (;;) {
    const { done, value } = slices.next()
    if (done === true) return value
  }
}
