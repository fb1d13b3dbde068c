/**
 * What the scheduler needs of a language model. `llama.ts` is the one real implementation; tests
 * bring a scripted one. Tokens are plain numbers here: ids in the model's vocabulary.
 */

/** Tokens of a block: prompts are computed in chunks that end at multiples of it. */
export const BLOCK_TOKENS = 128

export interface Vocabulary {
  /** Token ids are 0 … size − 1. */
  readonly size: number
  /** The token that has to stand in front of every prompt, or null. */
  readonly beginOfText: number | null
  readonly beginOfTextString: string
  readonly endOfTextString: string
  /**
   * @param special whether the texts of control tokens become those tokens
   * @param continues whether the text follows other text, so that no leading space is added
   */
  tokenize(text: string, special: boolean, continues: boolean): number[]
  /** Text of the tokens as it reads after `previous`. Broken UTF-8 comes as U+FFFD. */
  detokenize(tokens: readonly number[], previous: readonly number[]): string
  isEndOfGeneration(token: number): boolean
}

/** How the next token is drawn. Every field is explicit: no default of the runtime leaks in. */
export interface SamplingOptions {
  readonly temperature: number
  readonly topP: number
  /** 0 is off. */
  readonly topK: number
  readonly minP: number
  /** 0 … 2³² − 1. */
  readonly seed: number
  readonly frequencyPenalty: number
  readonly presencePenalty: number
  /** 1 is off. */
  readonly repetitionPenalty: number
}

export interface GenerateOptions {
  readonly sampling: SamplingOptions
  /** The tokens that penalties apply to, asked before every draw. */
  readonly penalised: () => readonly number[]
  /** Never share a batch with other sequences. */
  readonly alone: boolean
}

/** One conversation's place in the model's memory. At most one call may be in flight. */
export interface EngineSequence {
  /** Tokens that the sequence holds. */
  readonly length: number
  /** Tokens that the runtime itself counted as evaluated since the sequence was made. */
  readonly evaluatedTokens: number
  /** Forgets everything from `length` on. */
  truncate(length: number): Promise<void>
  /** Computes the tokens as one chunk of a prompt. */
  prefill(tokens: readonly number[]): Promise<void>
  /**
   * Computes `lastToken`, the prompt's last one, and draws tokens until the model ends by itself.
   * The token that ends the generation is not given out.
   */
  generate(lastToken: number, options: GenerateOptions): AsyncGenerator<number, void, void>
}

export interface Engine {
  readonly vocabulary: Vocabulary
  /** Tokens that fit one sequence: prompt and output together. */
  readonly contextSize: number
  readonly sequences: readonly EngineSequence[]
  /** False for models whose memory cannot be cut back to a prefix. */
  readonly canReusePrefix: boolean
  /** Gives up a sequence whose state is in doubt and returns an empty one in its place. */
  replace(sequence: EngineSequence): Promise<EngineSequence>
  dispose(): Promise<void>
}

/** What is known of the model from its file. */
export interface ModelFacts {
  readonly modelName: string
  /** The Jinja chat template, or null when the file has none. */
  readonly chatTemplate: string | null
  readonly threads: number
  readonly cpuVariant: string
  readonly llamaCppRelease: string
  readonly libraryVersion: string
}
