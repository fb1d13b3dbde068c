/** The requests that this process runs: each from its decision in memory until its end. */
import type { Clock } from '@svc/contracts/ports/time'

/**
 * How long after its deadline a request still counts as running. A gateway that could not end it by
 * then, because the store was away, has given up, and the sweeper ends it.
 */
const GRACE_MS = 5_000

export class RunningRequests {
  readonly #clock: Clock
  /** Deadlines by the steady clock, by request id, oldest acceptance first. */
  readonly #deadlines = new Map<string, number>()

  /** @param clock a steady one: a clock that is set forward would end requests that run */
  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @returns the deadline by the steady clock, in milliseconds */
  add(requestId: string, endsWithinMs: number): number {
    const deadline = this.#clock.nowMs() + endsWithinMs
    this.#deadlines.set(requestId, deadline)
    this.#dropOverdue()
    return deadline
  }

  delete(requestId: string): void {
    this.#deadlines.delete(requestId)
  }

  has(requestId: string): boolean {
    const deadline = this.#deadlines.get(requestId)
    return deadline !== undefined && this.#clock.nowMs() <= deadline + GRACE_MS
  }

  #dropOverdue(): void {
    for (const requestId of this.#deadlines.keys()) {
      if (this.has(requestId)) return
      this.#deadlines.delete(requestId)
    }
  }
}
