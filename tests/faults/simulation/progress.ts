/** Says on stderr, once a minute, how far a long simulation has come. */
import type { HistoryOutcome } from './history.ts'

const TELL_EVERY_MS = 60_000

export interface ProgressOptions {
  readonly write: (line: string) => void
  /** Milliseconds of a clock that never goes back. */
  readonly nowMs: () => number
}

export class Progress {
  readonly #options: ProgressOptions
  readonly #startMs: number
  #toldMs: number
  #histories = 0
  #failures = 0

  constructor(options: ProgressOptions) {
    this.#options = options
    this.#startMs = options.nowMs()
    this.#toldMs = this.#startMs
  }

  note({ seed, problems }: Pick<HistoryOutcome, 'seed' | 'problems'>): void {
    const nowMs = this.#options.nowMs()
    this.#histories += 1
    if (problems.length > 0) this.#failures += 1
    if (nowMs - this.#toldMs < TELL_EVERY_MS) return
    this.#toldMs = nowMs
    const perSecond = (this.#histories * 1_000) / (nowMs - this.#startMs)
    const rate = `${perSecond.toFixed(1)} a second`
    this.#options.write(
      `${this.#histories} histories, ${rate}, ${this.#failures} failed, at seed ${seed}\n`,
    )
  }
}
