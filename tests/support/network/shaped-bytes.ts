/** Bytes that come later than they were sent, and no faster than a line lets them. */
import { Transform, type TransformCallback } from 'node:stream'

const SECOND_MS = 1_000

export class ShapedBytes extends Transform {
  readonly #delayMs: number
  readonly #bytesPerSecond: number

  constructor(delayMs: number, bytesPerSecond: number) {
    super()
    this.#delayMs = delayMs
    this.#bytesPerSecond = bytesPerSecond
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const lineMs = (chunk.length / this.#bytesPerSecond) * SECOND_MS
    setTimeout(() => done(null, chunk), this.#delayMs + lineMs)
  }
}
