/**
 * The file that llama.cpp saves a sequence to (GGSQ version 3), taken apart into blocks and put
 * together again. The layout is that of `llama_kv_cache::state_write` in `src/llama-kv-cache.cpp`,
 * for models with attention only and flash attention on (then V is not transposed):
 *
 *     magic, version, tokens, {token}              the head
 *     streams, cells                               the one stream that is not empty
 *     {position, sequences, sequence}              each cell
 *     transposed, layers
 *     {type, row bytes, rows}                      K of each layer, then V of each layer
 *
 * Nothing of it is promised by llama.cpp: every field is checked, and a self-test at the start of
 * a worker finds out whether it still holds (`prefix-cache/self-test.ts`).
 */
import { readSync, readvSync, writevSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

const MAGIC = 0x67677371
const VERSION = 3
const U32_BYTES = 4
const LAYERS_MAX = 1024
const STREAMS_MAX = 1024
/** The system reads and writes no more at once: `IOV_MAX`. */
const PARTS_AT_ONCE = 1024
/**
 * Numbers and parts of at most this size are moved synchronously. The file was just written to
 * memory, and handing sixty small pieces to another thread takes longer than copying them.
 */
const MOVED_AT_ONCE_BYTES_MAX = 1024 ** 2

/** The rows of one tensor, K or V of a layer. */
interface TensorShape {
  /** The number format, as llama.cpp numbers them. */
  readonly type: number
  readonly rowBytes: number
}

interface Tensor extends TensorShape {
  /** Where the tensor's first row begins in the file, in bytes. */
  readonly offset: number
}

export interface SavedState {
  readonly cells: number
  /** K of each layer, then V of each layer. */
  readonly tensors: readonly Tensor[]
}

export type StateShape = readonly TensorShape[]

/** The file is not what is described above. */
class UnknownState extends Error {
  override readonly name = 'UnknownState'
}

/** Tokens of a sequence in blocks of a size, of which the last may be smaller. */
export interface BlockRange {
  readonly from: number
  /** The token behind the last one. */
  readonly to: number
  readonly blockTokens: number
}

function tokenBytes(shape: StateShape): number {
  return shape.reduce((sum, { rowBytes }) => sum + rowBytes, 0)
}

/** @throws UnknownState */
export async function readSavedState(file: FileHandle): Promise<SavedState> {
  const { size } = await file.stat()
  const reader = new Reader(file, size)
  const [magic, version, tokens] = reader.numbers(3)
  demand(magic === MAGIC && version === VERSION, `magic ${magic}, version ${version}`)
  reader.skip((tokens ?? 0) * U32_BYTES)
  const cells = readCells(reader)
  const [transposed, layers] = reader.numbers(2)
  demand(transposed === 0, 'V is transposed')
  demand(layers !== undefined && layers > 0 && layers <= LAYERS_MAX, `${layers} layers`)
  const tensors: Tensor[] = []
  for (let tensor = 0; tensor < 2 * (layers ?? 0); tensor += 1) {
    const [type = 0, low = 0, high = 0] = reader.numbers(3)
    const rowBytes = low + high * 2 ** 32
    tensors.push({ type, rowBytes, offset: reader.position })
    reader.skip(rowBytes * cells)
  }
  reader.skipEmptyStreams()
  return { cells, tensors }
}

/** @returns the number of cells of the one stream that holds any */
function readCells(reader: Reader): number {
  const [streams] = reader.numbers(1)
  demand(streams !== undefined && streams <= STREAMS_MAX, `${streams} streams`)
  for (let stream = 0; stream < (streams ?? 0); stream += 1) {
    const [cells = 0] = reader.numbers(1)
    if (cells === 0) continue
    const rows = reader.numbers(cells * 3)
    for (let cell = 0; cell < cells; cell += 1) {
      const [position, sequences] = [rows[cell * 3], rows[cell * 3 + 1]]
      demand(position === cell && sequences === 1, `cell ${cell} is at ${position}`)
    }
    return cells
  }
  throw new UnknownState('no stream holds anything')
}

/** Blocks, each: its rows of every tensor in turn. @throws UnknownState */
export async function readStateBlocks(
  file: FileHandle,
  state: SavedState,
  { from, to, blockTokens }: BlockRange,
): Promise<readonly Uint8Array[]> {
  demand(to <= state.cells, `${state.cells} cells hold no ${to} tokens`)
  const bytes = tokenBytes(state.tensors)
  const blocks = Array.from({ length: Math.ceil((to - from) / blockTokens) }, (_, index) => {
    const tokens = Math.min(blockTokens, to - from - index * blockTokens)
    return Buffer.allocUnsafeSlow(bytes * tokens)
  })
  const read: Move = isMovedAtOnce(blocks)
    ? (group, at) => readvSync(file.fd, group, at)
    : async (group, at) => (await file.readv(group, at)).bytesRead
  let inside = 0
  for (const { rowBytes, offset } of state.tensors) {
    const parts = blocks.map((block) => partOf(block, bytes, inside, rowBytes))
    await moveParts(parts, offset + from * rowBytes, read)
    inside += rowBytes
  }
  return blocks
}

/** @param before the bytes of a token's rows of the tensors before this one */
function partOf(block: Uint8Array, bytes: number, before: number, rowBytes: number): Uint8Array {
  const tokens = block.length / bytes
  return block.subarray(before * tokens, (before + rowBytes) * tokens)
}

/**
 * Written from the beginning of the file. What a longer state has left behind the end stays there:
 * the runtime reads as much as the head says.
 *
 * @param streams how many sequences the context has: the runtime demands its own number
 * @returns its length
 */
export async function writeState(
  file: FileHandle,
  shape: StateShape,
  streams: number,
  tokens: readonly number[],
  blocks: readonly Uint8Array[],
): Promise<number> {
  const bytes = tokenBytes(shape)
  demand(
    blocks.every(({ length }) => length > 0 && length % bytes === 0),
    'a block has another length',
  )
  demand(lengthOf(blocks) === tokens.length * bytes, 'tokens and blocks differ in length')
  const write: Move = isMovedAtOnce(blocks)
    ? (group, at) => writevSync(file.fd, group, at)
    : async (group, at) => (await file.writev(group, at)).bytesWritten
  return await moveParts(partsOf(shape, streams, tokens, blocks), 0, write)
}

function* partsOf(
  shape: StateShape,
  streams: number,
  tokens: readonly number[],
  blocks: readonly Uint8Array[],
): Generator<Uint8Array> {
  const bytes = tokenBytes(shape)
  yield headOf(shape, streams, tokens)
  let inside = 0
  for (const { type, rowBytes } of shape) {
    yield u32s([type, rowBytes % 2 ** 32, Math.floor(rowBytes / 2 ** 32)])
    for (const block of blocks) yield partOf(block, bytes, inside, rowBytes)
    inside += rowBytes
  }
  yield u32s(Array.from({ length: streams - 1 }, () => 0))
}

/** Reads or writes pieces that follow one another. @returns how many bytes that were */
type Move = (parts: readonly Uint8Array[], position: number) => number | Promise<number>

/** @returns how many bytes were moved. @throws UnknownState when a piece is not moved whole */
async function moveParts(parts: Iterable<Uint8Array>, offset: number, move: Move): Promise<number> {
  let position = offset
  let group: Uint8Array[] = []
  const moveGroup = async () => {
    const length = lengthOf(group)
    demand((await move(group, position)) === length, 'the file ends too early or is full')
    position += length
    group = []
  }
  for (const part of parts) {
    group.push(part)
    if (group.length === PARTS_AT_ONCE) await moveGroup()
  }
  await moveGroup()
  return position - offset
}

function isMovedAtOnce(blocks: readonly Uint8Array[]): boolean {
  return lengthOf(blocks) <= MOVED_AT_ONCE_BYTES_MAX
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}

function headOf(shape: StateShape, streams: number, tokens: readonly number[]): Buffer {
  const cells = tokens.flatMap((_token, position) => [position, 1, 0])
  const layers = shape.length / 2
  const head = [MAGIC, VERSION, tokens.length, ...tokens, streams, tokens.length]
  return u32s([...head, ...cells, 0, layers])
}

function u32s(numbers: readonly number[]): Buffer {
  const { buffer, byteOffset, byteLength } = Uint32Array.from(numbers)
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Reads numbers one after the other, and never beyond the end. */
class Reader {
  readonly #file: FileHandle
  readonly #size: number
  position = 0

  constructor(file: FileHandle, size: number) {
    this.#file = file
    this.#size = size
  }

  skip(bytes: number): void {
    this.position += bytes
    demand(this.position <= this.#size, 'the file ends too early')
  }

  numbers(count: number): Uint32Array {
    const from = this.position
    this.skip(count * U32_BYTES)
    const numbers = new Uint32Array(count)
    readSync(this.#file.fd, numbers, 0, numbers.byteLength, from)
    return numbers
  }

  skipEmptyStreams(): void {
    const rest = this.numbers(Math.floor((this.#size - this.position) / U32_BYTES))
    demand(this.position === this.#size && rest.every((cells) => cells === 0), 'more follows')
  }
}

function demand(holds: boolean, what: string): void {
  if (!holds) throw new UnknownState(`the runtime's saved state is not as expected: ${what}`)
}
