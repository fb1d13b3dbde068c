/** Cuts an evidence file into its lines, as chunks of it come. */
import { LINE_BYTES_MAX } from './evidence-file.ts'

const NEWLINE = 0x0a

/**
 * A line without its line feed. Undefined is no line of an evidence file: unfinished, or far too
 * long.
 */
export type EvidenceLine = Buffer | undefined

export class EvidenceLines {
  /** A line was too long, and nothing can follow it. */
  isOver = false
  #unfinished: Buffer[] = []
  #unfinishedBytes = 0

  /** @returns the lines that end in the chunk, which they share memory with */
  take(chunk: Buffer): EvidenceLine[] {
    const lines: EvidenceLine[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#whole(chunk.subarray(start, end))
      lines.push(line.length > LINE_BYTES_MAX ? undefined : line)
      start = end + 1
    }
    if (start < chunk.length) this.#unfinished.push(chunk.subarray(start))
    this.#unfinishedBytes += chunk.length - start
    this.isOver = this.#unfinishedBytes > LINE_BYTES_MAX
    return this.isOver ? [...lines, undefined] : lines
  }

  /** @returns what follows the last line feed, if anything does */
  end(): EvidenceLine[] {
    return this.isOver || this.#unfinished.length === 0 ? [] : [undefined]
  }

  #whole(rest: Buffer): Buffer {
    if (this.#unfinished.length === 0) return rest
    const whole = Buffer.concat([...this.#unfinished, rest])
    this.#unfinished = []
    this.#unfinishedBytes = 0
    return whole
  }
}
