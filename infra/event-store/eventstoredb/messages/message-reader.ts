/**
 * Reads a message of protobuf from its first field to its last:
 *
 *     while (reader.next(end)) {
 *       if (reader.field === 1) id = reader.text()
 *       else reader.skip()
 *     }
 */

/** How values are laid out. */
const VARINT = 0
const FIXED_64 = 1
const LENGTH_DELIMITED = 2
const FIXED_32 = 5

const WIRE_TYPE_BITS = 3
const WIRE_TYPE_MASK = 7
const VARINT_BITS_MAX = 70
/** The highest shift that JavaScript's operators do without losing bits. */
const SHIFTED_BITS_MAX = 28

export class MessageReader {
  /** The number of the field that {@link next} has found. Its value must be read, or skipped. */
  field = 0
  #wireType = VARINT
  #at = 0
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** @param end of the message that is read. @returns false when its last field was read */
  next(end = this.#bytes.length): boolean {
    if (this.#at > end) throw cutOff()
    if (this.#at === end) return false
    const tag = this.uint()
    this.field = tag >>> WIRE_TYPE_BITS
    this.#wireType = tag & WIRE_TYPE_MASK
    return true
  }

  /** Reads a number exactly up to 2^53: more than any log has bytes, or any stream events. */
  uint(): number {
    let value = 0
    for (let bits = 0; bits < VARINT_BITS_MAX; bits += 7) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw cutOff()
      value =
        bits < SHIFTED_BITS_MAX
          ? value | ((byte & 0x7f) << bits)
          : value + (byte & 0x7f) * 2 ** bits
      if (byte < 0x80) return value
    }
    throw new Error('a number in a message of the event store has no end')
  }

  text(): string {
    const start = this.#pass()
    return this.#bytes.toString('utf8', start, this.#at)
  }

  /** Shares its memory with the message. */
  bytes(): Buffer {
    const start = this.#pass()
    return this.#bytes.subarray(start, this.#at)
  }

  /** Goes into the message that is the value of the field. @returns where it ends */
  nested(): number {
    const length = this.uint()
    return this.#at + length
  }

  skip(): void {
    if (this.#wireType === VARINT) this.uint()
    else if (this.#wireType === LENGTH_DELIMITED) this.#pass()
    else if (this.#wireType === FIXED_64) this.#at += 8
    else if (this.#wireType === FIXED_32) this.#at += 4
    else throw new Error(`a field of the event store has the unknown layout ${this.#wireType}`)
  }

  /** @returns where it started */
  #pass(): number {
    const length = this.uint()
    this.#at += length
    if (this.#at > this.#bytes.length) throw cutOff()
    return this.#at - length
  }
}

function cutOff(): Error {
  return new Error('a message of the event store was cut off')
}
