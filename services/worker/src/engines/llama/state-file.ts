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
import type { FileHandle } from 'node:fs/promises'
import { BLOCK_TOKENS } from '@svc/contracts/ports/prefix-store'

const MAGIC = 0x67677371
const VERSION = 3
const U32_BYTES = 4
const LAYERS_MAX = 1024
const STREAMS_MAX = 1024

/** The rows of one tensor, K or V of a layer. */
interface TensorShape {
  /** The number format, as llama.cpp numbers them. */
  readonly type: number
  readonly rowBytes: number
}

interface Tensor extends TensorShape {
  /** Where its first row is in the file. */
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

function blockBytes(shape: StateShape): number {
  return shape.reduce((sum, { rowBytes }) => sum + rowBytes * BLOCK_TOKENS, 0)
}

/** @throws UnknownState */
export async function readSavedState(file: FileHandle): Promise<SavedState> {
  const { size } = await file.stat()
  const reader = new Reader(file, size)
  const [magic, version, tokens] = await reader.numbers(3)
  demand(magic === MAGIC && version === VERSION, `magic ${magic}, version ${version}`)
  reader.skip((tokens ?? 0) * U32_BYTES)
  const cells = await readCells(reader)
  const [transposed, layers] = await reader.numbers(2)
  demand(transposed === 0, 'V is transposed')
  demand(layers !== undefined && layers > 0 && layers <= LAYERS_MAX, `${layers} layers`)
  const tensors: Tensor[] = []
  for (let tensor = 0; tensor < 2 * (layers ?? 0); tensor += 1) {
    const [type = 0, low = 0, high = 0] = await reader.numbers(3)
    const rowBytes = low + high * 2 ** 32
    tensors.push({ type, rowBytes, offset: reader.position })
    reader.skip(rowBytes * cells)
  }
  await reader.skipEmptyStreams()
  return { cells, tensors }
}

/** @returns the number of cells of the one stream that holds any */
async function readCells(reader: Reader): Promise<number> {
  const [streams] = await reader.numbers(1)
  demand(streams !== undefined && streams <= STREAMS_MAX, `${streams} streams`)
  for (let stream = 0; stream < (streams ?? 0); stream += 1) {
    const [cells = 0] = await reader.numbers(1)
    if (cells === 0) continue
    const rows = await reader.numbers(cells * 3)
    for (let cell = 0; cell < cells; cell += 1) {
      const [position, sequences] = [rows[cell * 3], rows[cell * 3 + 1]]
      demand(position === cell && sequences === 1, `cell ${cell} is at ${position}`)
    }
    return cells
  }
  throw new UnknownState('no stream holds anything')
}

/** Blocks `from` … `to` − 1, each: its rows of every tensor in turn. @throws UnknownState */
export async function readStateBlocks(
  file: FileHandle,
  state: SavedState,
  from: number,
  to: number,
): Promise<readonly Uint8Array[]> {
  demand(to * BLOCK_TOKENS <= state.cells, `${state.cells} cells hold no ${to} blocks`)
  const bytes = blockBytes(state.tensors)
  const blocks = Array.from({ length: to - from }, () => Buffer.allocUnsafeSlow(bytes))
  let inside = 0
  for (const { rowBytes, offset } of state.tensors) {
    const length = rowBytes * BLOCK_TOKENS
    const parts = blocks.map((block) => block.subarray(inside, inside + length))
    const { bytesRead } = await file.readv(parts, offset + from * length)
    demand(bytesRead === length * parts.length, 'the file ends too early')
    inside += length
  }
  return blocks
}

/** @param streams how many sequences the context has: the runtime demands its own number */
export async function writeState(
  file: FileHandle,
  shape: StateShape,
  streams: number,
  tokens: readonly number[],
  blocks: readonly Uint8Array[],
): Promise<void> {
  const cells = tokens.length
  demand(cells === blocks.length * BLOCK_TOKENS, 'tokens and blocks differ in length')
  const bytes = blockBytes(shape)
  demand(
    blocks.every(({ length }) => length === bytes),
    'a block has another length',
  )
  await file.write(headOf(shape, streams, tokens))
  let inside = 0
  for (const { type, rowBytes } of shape) {
    const length = rowBytes * BLOCK_TOKENS
    const parts = blocks.map((block) => block.subarray(inside, inside + length))
    await file.writev([u32s([type, rowBytes % 2 ** 32, Math.floor(rowBytes / 2 ** 32)]), ...parts])
    inside += length
  }
  await file.write(u32s(Array.from({ length: streams - 1 }, () => 0)))
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

  async numbers(count: number): Promise<Uint32Array> {
    const from = this.position
    this.skip(count * U32_BYTES)
    const numbers = new Uint32Array(count)
    await this.#file.read(numbers, 0, numbers.byteLength, from)
    return numbers
  }

  async skipEmptyStreams(): Promise<void> {
    const rest = await this.numbers(Math.floor((this.#size - this.position) / U32_BYTES))
    demand(this.position === this.#size && rest.every((cells) => cells === 0), 'more follows')
  }
}

function demand(holds: boolean, what: string): void {
  if (!holds) throw new UnknownState(`the runtime's saved state is not as expected: ${what}`)
}
