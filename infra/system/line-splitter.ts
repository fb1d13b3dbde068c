/** Cuts the bytes of a stream into lines of UTF-8, none of which is longer than a bound. */
import { isUtf8 } from 'node:buffer'

const NEWLINE = 0x0a
const NOTHING = Buffer.alloc(0)

/** Its message is for logs: it holds nothing of the line. */
class LineTooLongError extends RangeError {
  override readonly name = 'LineTooLongError'
}

/** Refuses bytes that would be shown as U+FFFD if they were read on. */
class BrokenTextError extends TypeError {
  override readonly name = 'BrokenTextError'
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
   * @throws {BrokenTextError} for a whole line that is no UTF-8
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
    // A newline is never a part of a character, so all lines can be checked at once.
    refuseBrokenText(bytes.subarray(0, start))
    this.#unfinished = start === bytes.length ? NOTHING : bytes.subarray(start)
    return lines
  }

  /** @returns what came after the last newline @throws {BrokenTextError} when it is no UTF-8 */
  end(): string {
    refuseBrokenText(this.#unfinished)
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

function refuseBrokenText(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new BrokenTextError('a line is no UTF-8')
}
