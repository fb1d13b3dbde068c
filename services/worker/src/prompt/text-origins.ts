/**
 * Remembers of which drawn tokens the shown text is made. A token belongs to the first text that
 * has a character of it; one that brought no character itself (half of one) belongs to the text
 * that its characters came to.
 */
interface Token {
  readonly index: number
  /** UTF-16 units of what was drawn, before and after the token. */
  readonly from: number
  readonly to: number
}

export class TextOrigins {
  #count = 0
  #drawnLength = 0
  /** Tokens that no text has claimed yet, oldest first. */
  readonly #tokens: Token[] = []
  /** Tokens of text that is not shown yet, and where in the text each begins. */
  readonly #claimed: { readonly index: number; readonly at: number }[] = []
  #textLength = 0
  #shownLength = 0

  /** A token was drawn that added `length` UTF-16 units. */
  drawn(length: number): void {
    const from = this.#drawnLength
    this.#drawnLength += length
    this.#tokens.push({ index: this.#count, from, to: this.#drawnLength })
    this.#count += 1
  }

  /** Units that came to light later, of the last tokens. */
  more(length: number): void {
    this.#drawnLength += length
  }

  /** `length` UTF-16 units from this place on are text, which is shown later. */
  text(from: number, length: number): void {
    const end = from + length
    const later = this.#tokens.findIndex((token) => token.from >= end)
    const reached = this.#tokens.splice(0, later === -1 ? this.#tokens.length : later)
    for (const token of reached) {
      const isPart = token.to > from || token.from >= from
      if (!isPart) continue
      const at = this.#textLength + Math.max(0, token.from - from)
      this.#claimed.push({ index: token.index, at })
    }
    this.#textLength += length
  }

  /** What was drawn before this place, in UTF-16 units, is no text that is still to come. */
  other(end: number): void {
    const later = this.#tokens.findIndex(({ from, to }) => to > end || from >= end)
    this.#tokens.splice(0, later === -1 ? this.#tokens.length : later)
  }

  /** The first drawn token that text may be made of which is not shown yet. */
  get firstUnshown(): number {
    return this.#claimed[0]?.index ?? this.#tokens[0]?.index ?? this.#count
  }

  /** The tokens of the next `length` UTF-16 units of shown text. */
  take(length: number): number[] {
    this.#shownLength += length
    const later = this.#claimed.findIndex(({ at }) => at >= this.#shownLength)
    const taken = this.#claimed.splice(0, later === -1 ? this.#claimed.length : later)
    return taken.map(({ index }) => index)
  }
}
