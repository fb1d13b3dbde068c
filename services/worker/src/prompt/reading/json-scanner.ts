/**
 * Finds the end of a JSON value in text that comes in pieces. It is lenient: what a model writes
 * within a value is passed on as it is, and only what cannot be JSON at all ends it early.
 */

/** Characters of JSON outside of strings. */
const OUTSIDE = /[\s\d{}[\],:"+\-.a-zA-Z]/

export class JsonScanner {
  #depth = 0
  #inString = false
  #escaped = false

  /**
   * @param text goes on from what was scanned before; a value that is no string begins with `{` or
   *   `[`
   * @returns how many UTF-16 units belong to the value, and whether it is complete
   */
  scan(text: string): { readonly length: number; readonly ended: boolean } {
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charAt(at)
      if (this.#inString) this.#scanInString(unit)
      else if (OUTSIDE.test(unit)) this.#scanOutside(unit)
      else return { length: at, ended: true }
      if (this.#depth <= 0 && !this.#inString) return { length: at + 1, ended: true }
    }
    return { length: text.length, ended: false }
  }

  #scanOutside(unit: string): void {
    if (unit === '"') this.#inString = true
    else if (unit === '{' || unit === '[') this.#depth += 1
    else if (unit === '}' || unit === ']') this.#depth -= 1
  }

  #scanInString(unit: string): void {
    if (this.#escaped) this.#escaped = false
    else if (unit === '\\') this.#escaped = true
    else if (unit === '"') this.#inString = false
  }
}
