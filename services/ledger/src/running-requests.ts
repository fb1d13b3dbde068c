/** The requests that this process runs now: from the decision in memory until they have ended. */
import type { Clock } from '@svc/contracts/ports/time'

/**
 * After its deadline nothing runs any more. Whoever could not end a request by then, because the
 * store was away, has given it up: it is no longer counted as running, and the sweeper ends it.
 */
const GRACE_MS = 5_000

export class RunningRequests {
  readonly #clock: Clock
  /** Deadlines by the steady clock, by request id, oldest acceptance first. */
  readonly #deadlines = new Map<string, number>()

  /** @param clock never jumps: one that is set forward must end no request that runs */
  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @returns the deadline, by the steady clock */
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
