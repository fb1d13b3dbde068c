/** How long to wait before the next try of what failed: twice as long each time, up to a bound. */
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

  /** Pauses since the beginning, or since the last reset. */
  get pauses(): number {
    return this.#pauses
  }

  /** The length of the next pause. */
  get nextMs(): number {
    const { firstMs, longestMs } = this.#bounds
    return Math.min(firstMs * 2 ** this.#pauses, longestMs)
  }

  /** Counts a pause that the caller waits for by itself. @returns how long it takes */
  take(): number {
    const delayMs = this.nextMs
    this.#pauses += 1
    return delayMs
  }

  /** Waits; ends early, and without an error, when the signal is aborted. */
  pause(signal?: AbortSignal): Promise<void> {
    return pause(this.#timer, this.take(), signal)
  }

  /** Is called when what was tried has worked: the next pause is the first again. */
  reset(): void {
    this.#pauses = 0
  }
}
