/**
 * The tensors of a model of the `llama` architecture, and their random values. Deviations are such
 * that activations keep their size from layer to layer, and that the next token is no coin toss:
 * a greedy answer varies with its prompt as that of a real model does.
 */
import type { Random } from '@svc/testing/random'
import type { TensorEntry } from './gguf-head.ts'
import type { ModelShape, WeightEncoding } from './shapes.ts'

/** The numbers of encodings in a GGUF file. */
const F32 = 0
const ENCODINGS: Readonly<Record<WeightEncoding, number>> = { f16: 1, q8_0: 8 }

/** Values of one block of `q8_0`: they share a scale of two bytes. */
const Q8_BLOCK_VALUES = 32
const Q8_BLOCK_BYTES = 2 + Q8_BLOCK_VALUES
const Q8_VALUE_MAX = 127
/** The largest value that can be stored, in deviations: larger ones are cut. */
const Q8_DEVIATIONS_MAX = 4

const ATTENTION_SHARPNESS = 1.5
const OUTPUT_SHARPNESS = 3
/** Normally distributed values are drawn from a table of this many. */
const TABLE_VALUES = 65_536
const F32_BYTES = 4
const F16_BYTES = 2
/** Written to the file at once. */
const PIECE_VALUES = 4 * 1024 * 1024

export interface Tensor extends TensorEntry {
  /** The tensor's data, in pieces. */
  readonly pieces: (source: WeightSource) => Iterable<Uint8Array>
}

export function tensorsOf(
  shape: ModelShape,
  encoding: WeightEncoding,
  vocabularySize: number,
): readonly Tensor[] {
  const { layers, embeddingLength: width, heads, keyValueHeads, feedForwardLength } = shape
  const keyValueWidth = (width / heads) * keyValueHeads
  const even = 1 / Math.sqrt(width)
  const matrix = (name: string, inputs: number, outputs: number, deviation: number) =>
    weights(name, [inputs, outputs], deviation, encoding)
  const layer = (index: number): readonly Tensor[] => {
    const name = (part: string) => `blk.${index}.${part}.weight`
    return [
      ones(name('attn_norm'), width),
      matrix(name('attn_q'), width, width, even * ATTENTION_SHARPNESS),
      matrix(name('attn_k'), width, keyValueWidth, even * ATTENTION_SHARPNESS),
      matrix(name('attn_v'), width, keyValueWidth, even),
      matrix(name('attn_output'), width, width, even),
      ones(name('ffn_norm'), width),
      matrix(name('ffn_gate'), width, feedForwardLength, even),
      matrix(name('ffn_up'), width, feedForwardLength, even),
      matrix(name('ffn_down'), feedForwardLength, width, 1 / Math.sqrt(feedForwardLength)),
    ]
  }
  return [
    matrix('token_embd.weight', width, vocabularySize, 1),
    ones('output_norm.weight', width),
    matrix('output.weight', width, vocabularySize, even * OUTPUT_SHARPNESS),
    ...Array.from({ length: layers }, (_, index) => layer(index)).flat(),
  ]
}

/** Random numbers with a normal distribution, mean 0 and deviation 1. */
export class WeightSource {
  /** Every value that is ever drawn: who encodes values encodes these, once. */
  readonly table: Float32Array
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
    this.table = Float32Array.from({ length: TABLE_VALUES }, () => normal(random))
  }

  /** Where in the table the next value is. */
  nextIndex(): number {
    return this.#random.integer(TABLE_VALUES)
  }
}

/** One normally distributed number, by the Box–Muller transform. */
function normal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()))
  return radius * Math.cos(2 * Math.PI * random.next())
}

/** The weights of a norm that changes nothing. */
export function ones(name: string, length: number): Tensor {
  return constant(name, [length], 1)
}

/** 32-bit values that are all the same. */
export function constant(name: string, dimensions: readonly number[], value: number): Tensor {
  const length = dimensions.reduce((product, dimension) => product * dimension, 1)
  return {
    name,
    dimensions,
    encoding: F32,
    bytes: length * F32_BYTES,
    pieces: () => [bytesOf(new Float32Array(length).fill(value))],
  }
}

/** A matrix of random weights, inputs by outputs, or several of them. */
export function weights(
  name: string,
  dimensions: readonly number[],
  deviation: number,
  encoding: WeightEncoding,
): Tensor {
  const values = dimensions.reduce((product, dimension) => product * dimension, 1)
  const bytes =
    encoding === 'f16' ? values * F16_BYTES : (values / Q8_BLOCK_VALUES) * Q8_BLOCK_BYTES
  const piecesOf = encoding === 'f16' ? f16Pieces : q8Pieces
  return {
    name,
    dimensions,
    encoding: ENCODINGS[encoding],
    bytes,
    pieces: (source) => piecesOf(source, values, deviation),
  }
}

function* f16Pieces(source: WeightSource, values: number, deviation: number) {
  const halves = Float16Array.from(source.table, (value) => value * deviation)
  const table = new Uint16Array(halves.buffer)
  for (const count of pieceSizes(values)) {
    const piece = new Uint16Array(count)
    for (let index = 0; index < count; index += 1) piece[index] = table[source.nextIndex()] ?? 0
    yield bytesOf(piece)
  }
}

function* q8Pieces(source: WeightSource, values: number, deviation: number) {
  const steps = Q8_VALUE_MAX / Q8_DEVIATIONS_MAX
  const table = Int8Array.from(source.table, (value) =>
    Math.max(-Q8_VALUE_MAX, Math.min(Q8_VALUE_MAX, Math.round(value * steps))),
  )
  const scale = bytesOf(Float16Array.of(deviation / steps))
  for (const count of pieceSizes(values)) {
    const piece = new Uint8Array((count / Q8_BLOCK_VALUES) * Q8_BLOCK_BYTES)
    for (let block = 0; block < piece.length; block += Q8_BLOCK_BYTES) {
      piece.set(scale, block)
      for (let index = block + scale.length; index < block + Q8_BLOCK_BYTES; index += 1) {
        piece[index] = table[source.nextIndex()] ?? 0
      }
    }
    yield piece
  }
}

/** Sizes are multiples of a block of `q8_0`, because the width of every matrix is one. */
function* pieceSizes(values: number): Iterable<number> {
  for (let left = values; left > 0; left -= PIECE_VALUES) yield Math.min(left, PIECE_VALUES)
}

function bytesOf(numbers: Float32Array | Float16Array | Uint16Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
}
