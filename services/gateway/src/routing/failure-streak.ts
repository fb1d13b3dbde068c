/**
 * Whether a worker fails at all that it is given. One that fails at once has nothing to do, so the
 * choice by load alone would send it every request. What it fails at is sent to no other worker, so
 * the caller of each would have an error.
 *
 *     trusted ──three failures in a row──▶ failing ──five seconds──▶ tried with what comes next
 *        ▲                                    ▲                          │            │
 *        └──────────────a success─────────────┼──────────────────────────┘        a failure
 *                                             └───────────────────────────────────────┘
 */

/** Fewer may be what one request did to it. */
const FAILURES_IN_A_ROW = 3
const PASSED_OVER_MS = 5_000

export class FailureStreak {
  readonly #nowMs: () => number
  #inARow = 0
  #lastAt = Number.NEGATIVE_INFINITY

  /** @param nowMs milliseconds of a clock that only goes forward */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Whether others should have what comes now, where there are any. */
  get isFailing(): boolean {
    if (this.#inARow < FAILURES_IN_A_ROW) return false
    return this.#nowMs() - this.#lastAt < PASSED_OVER_MS
  }

  /** @param hasFailed by the worker's own fault; what callers ask for in vain is no failure */
  note(hasFailed: boolean): void {
    this.#inARow = hasFailed ? this.#inARow + 1 : 0
    if (hasFailed) this.#lastAt = this.#nowMs()
  }
}
