/** Cuts the bytes of a stream into lines, none of which is longer than a bound. */

const NEWLINE = 0x0a
const NOTHING = Buffer.alloc(0)

/** Its message is for logs: it holds nothing of the line. */
class LineTooLongError extends RangeError {
  override readonly name = 'LineTooLongError'
}

export class LineSplitter {
  readonly #bytesMax: number
  #unfinished: Buffer = NOTHING

  /** @param bytesMax of one line, without its newline */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /**
   * @returns the lines that are whole with this chunk, as text; also those that are empty
   * @throws {LineTooLongError} for a line beyond the bound, whole or not
   */
  push(chunk: Uint8Array): string[] {
    const bytes = this.#unfinishedWith(chunk)
    const lines: string[] = []
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      lines.push(bytes.toString('utf8', start, this.#bounded(start, end)))
      start = end + 1
    }
    this.#bounded(start, bytes.length)
    this.#unfinished = start === bytes.length ? NOTHING : bytes.subarray(start)
    return lines
  }

  /** @returns what came after the last newline */
  end(): string {
    return this.#unfinished.toString('utf8')
  }

  #unfinishedWith(chunk: Uint8Array): Buffer {
    if (this.#unfinished.length > 0) return Buffer.concat([this.#unfinished, chunk])
    return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  }

  #bounded(start: number, end: number): number {
    if (end - start > this.#bytesMax) throw new LineTooLongError('a line is too long')
    return end
  }
}
