/**
 * Walks over the description at the head of a GGUF file and checks that every length in it stays
 * within the file. Readers that trust the lengths allocate gigabytes, or crash.
 *
 * The format: magic, version, tensor count, pair count; pairs of key, type and value; for each
 * tensor its name, dimensions, type and the offset of its data; then, aligned, the data.
 */

/** The head of the file is not what the format says; the message is a clause for the operator. */
export class GgufDamage extends Error {
  override readonly name = 'GgufDamage'
}

const MAGIC = 'GGUF'
const SUPPORTED_VERSIONS = [2, 3]
const TENSORS_MAX = 1_000_000
const PAIRS_MAX = 1_000_000
const KEY_BYTES_MAX = 65_535
const DIMENSIONS_MAX = 4
const ARRAY_DEPTH_MAX = 4
const ALIGNMENT_KEY = 'general.alignment'
const ALIGNMENT_BYTES = 32
/** A model in several files: the first may hold the description only. */
const PARTS_KEY = 'split.count'

/** Bytes of a value, by its type's number. Strings (8) and arrays (9) are walked. */
const VALUE_BYTES = [1, 1, 2, 2, 4, 4, 4, 1, undefined, undefined, 8, 8, 8]
const TYPE_UINT32 = 4
const TYPE_STRING = 8
const TYPE_ARRAY = 9
const STRING_BYTES_MIN = 8

/**
 * @param head the file's first bytes: all of its description
 * @param fileBytes the length of the whole file
 * @throws GgufDamage
 */
export function walkGguf(head: Buffer, fileBytes: number): void {
  if (head.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new GgufDamage('it is no GGUF file')
  }
  const walker = new Walker(head, MAGIC.length)
  const version = walker.uint32()
  if (!SUPPORTED_VERSIONS.includes(version)) {
    throw new GgufDamage(`GGUF version ${version} is unknown`)
  }
  const tensors = walker.count(TENSORS_MAX)
  const pairs = walker.count(PAIRS_MAX)
  let alignment = ALIGNMENT_BYTES
  let inParts = false
  for (let index = 0; index < pairs; index += 1) {
    const key = walker.text(KEY_BYTES_MAX)
    const type = walker.uint32()
    inParts ||= key === PARTS_KEY
    if (key === ALIGNMENT_KEY && type === TYPE_UINT32) alignment = walker.uint32()
    else walker.skipValue(type, 0)
  }
  if (tensors === 0 && inParts) return
  let lastOffset = 0
  for (let index = 0; index < tensors; index += 1) {
    lastOffset = Math.max(lastOffset, walkTensor(walker))
  }
  const dataStart = Math.ceil(walker.position / alignment) * alignment
  // Written so that a comparison with NaN (alignment 0) is damage as well.
  if (tensors === 0 || !(dataStart + lastOffset < fileBytes)) {
    throw new GgufDamage('it is cut off or damaged')
  }
}

/** @returns the offset of the tensor's data */
function walkTensor(walker: Walker): number {
  walker.text(KEY_BYTES_MAX)
  const dimensions = walker.uint32()
  if (dimensions > DIMENSIONS_MAX) throw new GgufDamage('a tensor has too many dimensions')
  walker.skip(dimensions * 8)
  walker.skip(4)
  return walker.uint64()
}

class Walker {
  readonly #bytes: Buffer
  position: number

  constructor(bytes: Buffer, position: number) {
    this.#bytes = bytes
    this.position = position
  }

  skip(bytes: number): void {
    if (!(bytes <= this.#bytes.length - this.position))
      throw new GgufDamage('it is cut off or damaged')
    this.position += bytes
  }

  uint32(): number {
    this.skip(4)
    return this.#bytes.readUInt32LE(this.position - 4)
  }

  /** Large numbers lose digits, which no check here minds. */
  uint64(): number {
    this.skip(8)
    return Number(this.#bytes.readBigUInt64LE(this.position - 8))
  }

  count(max: number): number {
    const count = this.uint64()
    if (count > max) throw new GgufDamage('its header makes no sense')
    return count
  }

  text(bytesMax: number): string {
    const bytes = this.uint64()
    if (bytes > bytesMax) throw new GgufDamage('its metadata make no sense')
    this.skip(bytes)
    return this.#bytes.toString('utf8', this.position - bytes, this.position)
  }

  skipValue(type: number, depth: number): void {
    const bytes = VALUE_BYTES[type]
    if (bytes !== undefined) this.skip(bytes)
    else if (type === TYPE_STRING) this.skip(this.uint64())
    else if (type === TYPE_ARRAY && depth < ARRAY_DEPTH_MAX) this.#skipArray(depth)
    else throw new GgufDamage('its metadata make no sense')
  }

  #skipArray(depth: number): void {
    const type = this.uint32()
    const count = this.uint64()
    const bytes = VALUE_BYTES[type]
    if (bytes !== undefined) {
      this.skip(count * bytes)
      return
    }
    if (count * STRING_BYTES_MIN > this.#bytes.length - this.position) {
      throw new GgufDamage('it is cut off or damaged')
    }
    for (let index = 0; index < count; index += 1) this.skipValue(type, depth + 1)
  }
}
