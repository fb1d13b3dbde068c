/**
 * Finds the end of a JSON value in text that comes in pieces. It is lenient: what a model writes
 * within a value is passed on as it is, and only what cannot be JSON at all ends it early.
 */

/** Kinds of characters outside of strings. */
const [NO_JSON, PLAIN, QUOTE, OPENS, CLOSES] = [0, 1, 2, 3, 4] as const
const ASCII_CHARACTERS = 128
/** By the code of each character of ASCII. */
const kinds = Uint8Array.from({ length: ASCII_CHARACTERS }, (_, code) => {
  const unit = String.fromCharCode(code)
  if (unit === '"') return QUOTE
  if (unit === '{' || unit === '[') return OPENS
  if (unit === '}' || unit === ']') return CLOSES
  return /[\s\d,:+\-.a-zA-Z]/.test(unit) ? PLAIN : NO_JSON
})
const QUOTE_CODE = 0x22
const ESCAPE_CODE = 0x5c

export class JsonScanner {
  #depth = 0
  #inString = false
  #escaped = false

  /**
   * It compares codes, and no patterns: the head of a call is scanned again with each token of it.
   *
   * @param text goes on from what was scanned before; a value that is no string begins with `{` or
   *   `[`
   * @returns how many UTF-16 units belong to the value, and whether it is complete
   */
  scan(text: string): { readonly length: number; readonly ended: boolean } {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (this.#inString) this.#scanInString(code)
      else if (!this.#takeOutside(kindOf(code))) return { length: at, ended: true }
      if (this.#depth <= 0 && !this.#inString) return { length: at + 1, ended: true }
    }
    return { length: text.length, ended: false }
  }

  /** @returns false when it cannot be JSON */
  #takeOutside(kind: number): boolean {
    if (kind === QUOTE) this.#inString = true
    else if (kind === OPENS) this.#depth += 1
    else if (kind === CLOSES) this.#depth -= 1
    return kind !== NO_JSON
  }

  #scanInString(code: number): void {
    if (this.#escaped) this.#escaped = false
    else if (code === ESCAPE_CODE) this.#escaped = true
    else if (code === QUOTE_CODE) this.#inString = false
  }
}

function kindOf(code: number): number {
  return kinds[code] ?? (/\s/.test(String.fromCharCode(code)) ? PLAIN : NO_JSON)
}
