/** Shapes of models whose speed and memory are wanted, without their weights. */

/** How weights are stored. Norms are always 32-bit. */
export const weightEncodings = ['f16', 'q8_0'] as const
export type WeightEncoding = (typeof weightEncodings)[number]

/** How the model remembers: everything, in most layers a window only, or a state of fixed size. */
export type Architecture = 'llama' | 'gemma3' | 'mamba'

export interface ModelShape {
  /** Default: `llama`. */
  readonly architecture?: Architecture
  /** Default: none. Each token goes through two of them. */
  readonly experts?: number
  readonly layers: number
  readonly embeddingLength: number
  readonly heads: number
  readonly keyValueHeads: number
  readonly feedForwardLength: number
  readonly contextTokens: number
  /** Tokens of the vocabulary at least: as many more as it takes are never used. */
  readonly vocabularySize: number
  /** As models of this size are usually served. */
  readonly encoding: WeightEncoding
}

export const modelShapes = {
  /** 0.3 MB, for tests. */
  tiny: {
    layers: 2,
    embeddingLength: 64,
    heads: 4,
    keyValueHeads: 2,
    feedForwardLength: 192,
    contextTokens: 2048,
    vocabularySize: 0,
    encoding: 'f16',
  },
  /** Likewise, with a sliding window. */
  'tiny-window': {
    layers: 2,
    embeddingLength: 64,
    heads: 4,
    keyValueHeads: 2,
    feedForwardLength: 192,
    contextTokens: 2048,
    vocabularySize: 0,
    encoding: 'f16',
    architecture: 'gemma3',
  },
  /** Likewise, recurrent. */
  'tiny-recurrent': {
    layers: 2,
    embeddingLength: 64,
    heads: 4,
    keyValueHeads: 2,
    feedForwardLength: 192,
    contextTokens: 2048,
    vocabularySize: 0,
    encoding: 'f16',
    architecture: 'mamba',
  },
  /** Likewise, a mixture of experts. */
  'tiny-experts': {
    layers: 2,
    embeddingLength: 64,
    heads: 4,
    keyValueHeads: 2,
    feedForwardLength: 192,
    contextTokens: 2048,
    vocabularySize: 0,
    encoding: 'q8_0',
    experts: 8,
  },
  /** 6 MB. */
  small: {
    layers: 4,
    embeddingLength: 256,
    heads: 8,
    keyValueHeads: 4,
    feedForwardLength: 704,
    contextTokens: 4096,
    vocabularySize: 0,
    encoding: 'f16',
  },
  /** SmolLM2-135M, without sharing the embedding between input and output. */
  s135: {
    layers: 30,
    embeddingLength: 576,
    heads: 9,
    keyValueHeads: 3,
    feedForwardLength: 1536,
    contextTokens: 8192,
    vocabularySize: 49_152,
    encoding: 'q8_0',
  },
  /** Qwen2.5-0.5B, likewise. */
  q05: {
    layers: 24,
    embeddingLength: 896,
    heads: 14,
    keyValueHeads: 2,
    feedForwardLength: 4864,
    contextTokens: 32_768,
    vocabularySize: 151_936,
    encoding: 'q8_0',
  },
  /** Llama-3.2-1B, likewise. */
  l1b: {
    layers: 16,
    embeddingLength: 2048,
    heads: 32,
    keyValueHeads: 8,
    feedForwardLength: 8192,
    contextTokens: 131_072,
    vocabularySize: 128_256,
    encoding: 'q8_0',
  },
  /** Llama-3.1-8B: 8.5 GB, for GPUs. */
  l8b: {
    layers: 32,
    embeddingLength: 4096,
    heads: 32,
    keyValueHeads: 8,
    feedForwardLength: 14_336,
    contextTokens: 131_072,
    vocabularySize: 128_256,
    encoding: 'q8_0',
  },
} as const satisfies Readonly<Record<string, ModelShape>>

export type ShapeName = keyof typeof modelShapes

export function isShapeName(text: string): text is ShapeName {
  return Object.hasOwn(modelShapes, text)
}
