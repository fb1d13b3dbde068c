/**
 * Keeps calls from a server that does not answer, so that only a few of them wait for nothing.
 *
 *     closed   calls pass.                  a time-out, or several failures in a row  → open
 *     open     no call passes.              after a while, with the next call         → probing
 *     probing  one call has passed, and     it succeeds → closed; it fails → open
 *              no other does.
 *
 * The trade: a server that has come back is not used for up to {@link OPEN_MS}.
 *
 * Every call that passes must be reported, else a probe would never end. What is reported of a call
 * that passed before the circuit was opened changes nothing any more.
 */
import type { Clock } from '@svc/contracts/ports/time'

export const OPEN_MS = 5_000
/** Failures in a row: a single one may be the fault of that call. */
export const FAILURES_MAX = 5

type State =
  | { readonly kind: 'closed'; readonly failures: number }
  | { readonly kind: 'open'; readonly untilMs: number }
  | { readonly kind: 'probing' }

export class CircuitBreaker {
  readonly #clock: Clock
  #state: State = { kind: 'closed', failures: 0 }

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get isClosed(): boolean {
    return this.#state.kind === 'closed'
  }

  /** Whether a call may be made. If so, what it came to must be reported. */
  admit(): boolean {
    if (this.#state.kind === 'closed') return true
    if (this.#state.kind === 'probing' || this.#clock.nowMs() < this.#state.untilMs) return false
    this.#state = { kind: 'probing' }
    return true
  }

  succeeded(): void {
    if (this.#state.kind !== 'open') this.#state = { kind: 'closed', failures: 0 }
  }

  failed(): void {
    if (this.#state.kind === 'open') return
    const failures = this.#state.kind === 'closed' ? this.#state.failures + 1 : FAILURES_MAX
    if (failures < FAILURES_MAX) this.#state = { kind: 'closed', failures }
    else this.#open()
  }

  /** The connection has ended. That is known at once and kept by nobody: only a probe is over. */
  lost(): void {
    if (this.#state.kind === 'probing') this.#open()
  }

  /** A timeout costs time, so one is enough. */
  timedOut(): void {
    if (this.#state.kind !== 'open') this.#open()
  }

  #open(): void {
    this.#state = { kind: 'open', untilMs: this.#clock.nowMs() + OPEN_MS }
  }
}
