/**
 * Writes a model file with random weights in the shape of a real model. Its speed and its memory
 * are real; what it says is not.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { Random } from '@svc/testing/random'
import { describeFamily, familyTensors } from './families.ts'
import { encodeHead, GgufMetadata, paddingAfter } from './gguf-head.ts'
import {
  type Architecture,
  type ModelShape,
  modelShapes,
  type ShapeName,
  type WeightEncoding,
} from './shapes.ts'
import { tensorsOf, WeightSource } from './tensors.ts'
import { byteLevelVocabulary, type Vocabulary } from './vocabulary.ts'

/** The number in the file that says how most of its weights are stored. */
const FILE_TYPES: Readonly<Record<WeightEncoding, number>> = { f16: 1, q8_0: 7 }
const NORM_EPSILON = 1e-5
const ROPE_BASE = 10_000
const CHAT_TEMPLATE = [
  '{%- for message in messages %}',
  "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}",
  '{%- endfor %}',
  "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}",
].join('')

export interface RandomModel {
  readonly shape: ShapeName
  readonly path: string
  /** The shape's own when it is left out. */
  readonly encoding?: WeightEncoding | undefined
  /** Tokens of the vocabulary at least; the shape's own when it is left out. */
  readonly vocabularySize?: number | undefined
  /** Equal seeds give equal files. */
  readonly seed: number
}

/** @returns the bytes of the file */
export function writeRandomModel(model: RandomModel): number {
  const { shape: name, path, encoding, vocabularySize, seed } = model
  const shape: ModelShape = modelShapes[name]
  const stored = encoding ?? shape.encoding
  const vocabulary = byteLevelVocabulary(vocabularySize ?? shape.vocabularySize)
  const tensors = familyTensors(shape, tensorsOf(shape, stored, vocabulary.tokens.length))
  const metadata = new GgufMetadata()
  describeModel(metadata, `random-${name}-${stored}`, shape, stored)
  describeTokens(metadata, architectureOf(shape), vocabulary)
  const source = new WeightSource(new Random(seed))
  const file = openSync(path, 'w')
  let written = 0
  const write = (bytes: Uint8Array) => {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
    written += bytes.length
  }
  try {
    write(encodeHead(metadata, tensors))
    for (const tensor of tensors) {
      for (const piece of tensor.pieces(source)) write(piece)
      write(new Uint8Array(paddingAfter(tensor.bytes)))
    }
  } finally {
    closeSync(file)
  }
  return written
}

function describeModel(
  metadata: GgufMetadata,
  name: string,
  shape: ModelShape,
  encoding: WeightEncoding,
): void {
  const family = architectureOf(shape)
  metadata.text('general.architecture', family)
  metadata.text('general.name', name)
  metadata.uint32('general.file_type', FILE_TYPES[encoding])
  metadata.uint32(`${family}.context_length`, shape.contextTokens)
  metadata.uint32(`${family}.embedding_length`, shape.embeddingLength)
  metadata.uint32(`${family}.block_count`, shape.layers)
  metadata.uint32(`${family}.feed_forward_length`, shape.feedForwardLength)
  metadata.uint32(`${family}.attention.head_count`, shape.heads)
  metadata.uint32(`${family}.attention.head_count_kv`, shape.keyValueHeads)
  metadata.float32(`${family}.attention.layer_norm_rms_epsilon`, NORM_EPSILON)
  metadata.uint32(`${family}.rope.dimension_count`, shape.embeddingLength / shape.heads)
  metadata.float32(`${family}.rope.freq_base`, ROPE_BASE)
  describeFamily(metadata, shape)
}

function architectureOf({ architecture = 'llama' }: ModelShape): Architecture {
  return architecture
}

function describeTokens(metadata: GgufMetadata, family: string, vocabulary: Vocabulary): void {
  metadata.uint32(`${family}.vocab_size`, vocabulary.tokens.length)
  metadata.text('tokenizer.ggml.model', 'gpt2')
  // With `gpt-2` the runtime would take away spaces before punctuation when it makes text.
  metadata.text('tokenizer.ggml.pre', 'smollm')
  metadata.texts('tokenizer.ggml.tokens', vocabulary.tokens)
  metadata.int32s('tokenizer.ggml.token_type', vocabulary.kinds)
  metadata.texts('tokenizer.ggml.merges', vocabulary.merges)
  metadata.uint32('tokenizer.ggml.bos_token_id', vocabulary.endOfText)
  metadata.uint32('tokenizer.ggml.eos_token_id', vocabulary.endOfText)
  metadata.uint32('tokenizer.ggml.padding_token_id', vocabulary.endOfText)
  metadata.uint32('tokenizer.ggml.eot_token_id', vocabulary.endOfTurn)
  metadata.boolean('tokenizer.ggml.add_bos_token', false)
  metadata.boolean('tokenizer.ggml.add_eos_token', false)
  metadata.text('tokenizer.chat_template', CHAT_TEMPLATE)
}
