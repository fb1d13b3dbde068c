/**
 * Finds the texts that end an answer, also when they come in pieces. Text that may still become a
 * stop text is held back. The result does not depend on how the text was cut into pieces: the stop
 * text that is complete first wins, and of several that are complete at once the longest.
 */
export interface StopResult {
  /** Text that is certainly part of the answer. */
  readonly text: string
  /** The stop text that ended the answer, or null. */
  readonly stopText: string | null
}

export class StopStrings {
  readonly #stops: readonly string[]
  /** Characters of the longest beginning that is no whole stop text. */
  readonly #beginningMax: number
  #held = ''

  constructor(stops: readonly string[]) {
    this.#stops = stops
    this.#beginningMax = Math.max(1, ...stops.map((stop) => stop.length)) - 1
  }

  push(piece: string): StopResult {
    this.#held += piece
    const match = this.#firstMatch()
    if (match !== undefined) {
      const text = this.#held.slice(0, match.start)
      this.#held = ''
      return { text, stopText: match.stop }
    }
    const certain = this.#held.length - this.#longestBeginning()
    const text = this.#held.slice(0, certain)
    this.#held = this.#held.slice(certain)
    return { text, stopText: null }
  }

  /** The answer ended otherwise: what was held back belongs to it. */
  end(): string {
    const rest = this.#held
    this.#held = ''
    return rest
  }

  #firstMatch(): { start: number; stop: string } | undefined {
    let best: { start: number; end: number; stop: string } | undefined
    for (const stop of this.#stops) {
      const start = this.#held.indexOf(stop)
      if (start === -1) continue
      const end = start + stop.length
      const sooner = best === undefined || end < best.end
      if (sooner || (end === best?.end && start < best.start)) best = { start, end, stop }
    }
    return best
  }

  /** Length of the longest end of the held text that is the beginning of a stop text. */
  #longestBeginning(): number {
    const most = Math.min(this.#held.length, this.#beginningMax)
    for (let length = most; length > 0; length -= 1) {
      const tail = this.#held.slice(-length)
      if (this.#stops.some((stop) => stop.startsWith(tail))) return length
    }
    return 0
  }
}
