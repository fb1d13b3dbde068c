/**
 * What models of other families than `llama` have besides or instead: to show that models whose
 * memory cannot be taken apart into blocks are found out.
 */
import type { GgufMetadata } from './gguf-head.ts'
import type { ModelShape } from './shapes.ts'
import { constant, ones, type Tensor, weights } from './tensors.ts'

const WINDOW_TOKENS = 64
const CONVOLUTION = 4
const STATE = 16
const TIME_STEP_RANK = 4
const WEIGHT_DEVIATION = 0.1

const EXPERTS_USED = 2

export function describeFamily(metadata: GgufMetadata, shape: ModelShape): void {
  if (shape.experts !== undefined) {
    metadata.uint32('llama.expert_count', shape.experts)
    metadata.uint32('llama.expert_used_count', EXPERTS_USED)
  }
  if (shape.architecture === 'gemma3') {
    const headLength = shape.embeddingLength / shape.heads
    metadata.uint32('gemma3.attention.sliding_window', WINDOW_TOKENS)
    metadata.uint32('gemma3.attention.key_length', headLength)
    metadata.uint32('gemma3.attention.value_length', headLength)
  }
  if (shape.architecture === 'mamba') {
    metadata.uint32('mamba.ssm.conv_kernel', CONVOLUTION)
    metadata.uint32('mamba.ssm.inner_size', innerOf(shape))
    metadata.uint32('mamba.ssm.state_size', STATE)
    metadata.uint32('mamba.ssm.time_step_rank', TIME_STEP_RANK)
  }
}

/** @param llama the tensors that a model of this shape has in the `llama` family */
export function familyTensors(shape: ModelShape, llama: readonly Tensor[]): readonly Tensor[] {
  const layers = Array.from({ length: shape.layers }, (_, layer) => layer)
  switch (shape.architecture) {
    case 'gemma3':
      return [...llama, ...layers.flatMap((layer) => windowNorms(shape, layer))]
    case 'mamba': {
      const outside = llama.filter(({ name }) => !name.startsWith('blk.'))
      return [...outside, ...layers.flatMap((layer) => recurrentLayer(shape, layer))]
    }
    default:
      return shape.experts === undefined ? llama : withExperts(shape, llama, shape.experts)
  }
}

/** In place of the one that every token goes through. */
function withExperts(shape: ModelShape, llama: readonly Tensor[], experts: number) {
  const { embeddingLength: width, feedForwardLength: inner, encoding } = shape
  const layers = Array.from({ length: shape.layers }, (_, layer) => layer)
  const matrices = (name: string, inputs: number, outputs: number) =>
    weights(name, [inputs, outputs, experts], 1 / Math.sqrt(inputs), encoding)
  return [
    ...llama.filter(({ name }) => !/ffn_(gate|up|down)/.test(name)),
    ...layers.flatMap((layer) => [
      weights(`blk.${layer}.ffn_gate_inp.weight`, [width, experts], 1, 'f16'),
      matrices(`blk.${layer}.ffn_gate_exps.weight`, width, inner),
      matrices(`blk.${layer}.ffn_up_exps.weight`, width, inner),
      matrices(`blk.${layer}.ffn_down_exps.weight`, inner, width),
    ]),
  ]
}

function windowNorms({ embeddingLength: width, heads }: ModelShape, layer: number) {
  const name = (part: string) => `blk.${layer}.${part}.weight`
  return [
    ones(name('attn_q_norm'), width / heads),
    ones(name('attn_k_norm'), width / heads),
    ones(name('post_attention_norm'), width),
    ones(name('post_ffw_norm'), width),
  ]
}

function recurrentLayer(shape: ModelShape, layer: number): readonly Tensor[] {
  const { embeddingLength: width, encoding } = shape
  const inner = innerOf(shape)
  const name = (part: string) => `blk.${layer}.${part}`
  const matrix = (part: string, inputs: number, outputs: number) =>
    weights(name(part), [inputs, outputs], WEIGHT_DEVIATION, encoding)
  return [
    ones(name('attn_norm.weight'), width),
    matrix('ssm_in.weight', width, 2 * inner),
    constant(name('ssm_conv1d.weight'), [CONVOLUTION, inner], 1 / CONVOLUTION),
    constant(name('ssm_conv1d.bias'), [inner], 0),
    matrix('ssm_x.weight', inner, TIME_STEP_RANK + 2 * STATE),
    constant(name('ssm_dt.weight'), [TIME_STEP_RANK, inner], WEIGHT_DEVIATION),
    constant(name('ssm_dt.bias'), [inner], WEIGHT_DEVIATION),
    constant(name('ssm_a'), [STATE, inner], -1),
    constant(name('ssm_d'), [inner], 1),
    matrix('ssm_out.weight', inner, width),
  ]
}

function innerOf({ embeddingLength }: ModelShape): number {
  return 2 * embeddingLength
}
