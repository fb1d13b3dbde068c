/**
 * Writes messages of protobuf, field by field, in one pass: the length of a text or of a message
 * within a message is known when its end is reached, so room for it is kept in front. Four bytes
 * always, which the encoding allows, though fewer would mostly do.
 */

const VARINT = 0
const LENGTH_DELIMITED = 2
const WIRE_TYPE_BITS = 3

const TAG_BYTES = 1
/** Lengths up to 2^28. */
const LENGTH_BYTES = 4
const VARINT_BYTES_MAX = 10
/** The most bytes that UTF-8 takes for one character of UTF-16. */
const CHARACTER_BYTES_MAX = 3

const FIRST_BYTES = 16 * 1024

export class MessageWriter {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #length = 0

  /** @returns bytes of their own: the writer can be used for the next message */
  message(write: () => void): Buffer {
    this.#length = 0
    write()
    return Buffer.from(this.#buffer.subarray(0, this.#length))
  }

  /** @param value a safe integer, not negative. @param field below 16, as those of all methods */
  uint(field: number, value: number): void {
    this.#reserve(TAG_BYTES + VARINT_BYTES_MAX)
    this.#tag(field, VARINT)
    let rest = value
    while (rest > 0x7f) {
      this.#buffer[this.#length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#buffer[this.#length++] = rest
  }

  /** A message within the message. Without `write` it is empty. */
  nested(field: number, write?: () => void): void {
    const start = this.#open(field, 0)
    write?.()
    this.#close(start)
  }

  text(field: number, text: string): void {
    const start = this.#open(field, text.length * CHARACTER_BYTES_MAX)
    this.#length += this.#buffer.write(text, start)
    this.#close(start)
  }

  bytes(field: number, bytes: Uint8Array): void {
    const start = this.#open(field, bytes.length)
    this.#buffer.set(bytes, start)
    this.#length += bytes.length
    this.#close(start)
  }

  #open(field: number, bytesMax: number): number {
    this.#reserve(TAG_BYTES + LENGTH_BYTES + bytesMax)
    this.#tag(field, LENGTH_DELIMITED)
    this.#length += LENGTH_BYTES
    return this.#length
  }

  /** Writes the length into the room that was kept for it. @param start of what has the length */
  #close(start: number): void {
    let rest = this.#length - start
    for (let at = start - LENGTH_BYTES; at < start - 1; at += 1) {
      this.#buffer[at] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.#buffer[start - 1] = rest
  }

  #tag(field: number, wireType: number): void {
    this.#buffer[this.#length++] = (field << WIRE_TYPE_BITS) | wireType
  }

  /** The buffer keeps the size of the largest append, which has its bound. */
  #reserve(bytes: number): void {
    const wanted = this.#length + bytes
    if (wanted <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, wanted))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}
