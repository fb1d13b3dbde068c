/** Pauses between tries of what fails: each is twice as long as the one before, up to a bound. */
import { pause, type Timer } from './time.ts'

export interface BackoffBounds {
  readonly firstMs: number
  readonly longestMs: number
}

export class Backoff {
  readonly #timer: Timer
  readonly #bounds: BackoffBounds
  #pauses = 0

  constructor(timer: Timer, bounds: BackoffBounds) {
    this.#timer = timer
    this.#bounds = bounds
  }

  /** How many pauses were taken since the start or the last reset. */
  get pauses(): number {
    return this.#pauses
  }

  /** The length of the next pause, in milliseconds. Reading it takes no pause. */
  get nextMs(): number {
    const { firstMs, longestMs } = this.#bounds
    return Math.min(firstMs * 2 ** this.#pauses, longestMs)
  }

  /** Counts one pause, for a caller that waits by other means. @returns milliseconds to wait */
  take(): number {
    const delayMs = this.nextMs
    this.#pauses += 1
    return delayMs
  }

  /** Takes one pause. Resolves early, without an error, when the signal is aborted. */
  pause(signal?: AbortSignal): Promise<void> {
    return pause(this.#timer, this.take(), signal)
  }

  /** To be called when a try has worked: the next pause is as short as the first. */
  reset(): void {
    this.#pauses = 0
  }
}
