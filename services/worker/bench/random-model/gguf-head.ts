/**
 * Writes the description at the head of a GGUF file, version 3: magic, version, number of tensors,
 * number of pairs; the pairs; for each tensor its name, dimensions, encoding and the offset of its
 * data. Everything is little-endian.
 */

const MAGIC = 'GGUF'
const VERSION = 3
/** Of the data of every tensor, and of where the data begins. */
const ALIGNMENT_BYTES = 32

/** The numbers of the types of values. */
const UINT32 = 4
const INT32 = 5
const FLOAT32 = 6
const BOOLEAN = 7
const TEXT = 8
const ARRAY = 9

/** What a file says about its model: pairs of a key and a value with a type. */
export class GgufMetadata {
  readonly #pairs: Buffer[] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pairs)
  }

  text(key: string, value: string): void {
    this.#add(key, TEXT, encodeText(value))
  }

  uint32(key: string, value: number): void {
    this.#add(key, UINT32, encodeUint32(value))
  }

  float32(key: string, value: number): void {
    const bytes = Buffer.alloc(4)
    bytes.writeFloatLE(value)
    this.#add(key, FLOAT32, bytes)
  }

  boolean(key: string, value: boolean): void {
    this.#add(key, BOOLEAN, Buffer.of(value ? 1 : 0))
  }

  texts(key: string, values: readonly string[]): void {
    this.#addArray(key, TEXT, values.map(encodeText))
  }

  int32s(key: string, values: readonly number[]): void {
    const items = values.map((value) => {
      const bytes = Buffer.alloc(4)
      bytes.writeInt32LE(value)
      return bytes
    })
    this.#addArray(key, INT32, items)
  }

  #addArray(key: string, type: number, items: readonly Buffer[]): void {
    const values = Buffer.concat(items)
    this.#add(key, ARRAY, encodeUint32(type), encodeUint64(items.length), values)
  }

  #add(key: string, type: number, ...value: readonly Buffer[]): void {
    this.#count += 1
    this.#pairs.push(encodeText(key), encodeUint32(type), ...value)
  }
}

export interface TensorEntry {
  readonly name: string
  /** The fastest running one first: for a matrix its inputs, then its outputs. */
  readonly dimensions: readonly number[]
  /** The number of how its values are stored. */
  readonly encoding: number
  readonly bytes: number
}

/** @returns the head, filled up to where the data of the first tensor begins */
export function encodeHead(metadata: GgufMetadata, tensors: readonly TensorEntry[]): Buffer {
  let offset = 0
  const entries = tensors.map(({ name, dimensions, encoding, bytes }) => {
    const entry = Buffer.concat([
      encodeText(name),
      encodeUint32(dimensions.length),
      ...dimensions.map(encodeUint64),
      ...[encodeUint32(encoding), encodeUint64(offset)],
    ])
    offset += bytes + paddingAfter(bytes)
    return entry
  })
  const head = Buffer.concat([
    Buffer.from(MAGIC, 'latin1'),
    encodeUint32(VERSION),
    ...[encodeUint64(tensors.length), encodeUint64(metadata.count)],
    metadata.bytes,
    ...entries,
  ])
  return Buffer.concat([head, Buffer.alloc(paddingAfter(head.length))])
}

/** Bytes that are missing up to where the next tensor may begin. */
export function paddingAfter(bytes: number): number {
  return (ALIGNMENT_BYTES - (bytes % ALIGNMENT_BYTES)) % ALIGNMENT_BYTES
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8')
  return Buffer.concat([encodeUint64(bytes.length), bytes])
}

function encodeUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function encodeUint64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}
