/**
 * What the worker needs of a language model. Each folder beside this file is one engine: `llama/`
 * computes, `scripted/` says what a test tells it to. All pass `engine.suite.ts`. Tokens are plain
 * numbers here: ids in the model's vocabulary.
 */
import { type GrammarFailure, TOP_LOGPROBS_MAX } from '@svc/contracts/worker/protocol'
import type { Log } from '../process/log.ts'
import type { RuntimeWatch } from '../process/runtime-watch.ts'
import type { PromptKind, PromptSchedule } from './prompt-schedule.ts'

/** A grammar that the runtime cannot read. */
export class BadGrammar extends Error {
  override readonly name = 'BadGrammar'
}

/** No token could be drawn, and none could be in another attempt: the grammar is why. */
export class DrawFailed extends Error {
  override readonly name = 'DrawFailed'
  readonly code: GrammarFailure

  constructor(code: GrammarFailure, message: string) {
    super(message)
    this.code = code
  }
}

export interface Vocabulary {
  /** Token ids are 0 … size − 1. */
  readonly size: number
  /** UTF-16 units of text that no token exceeds. */
  readonly longestTokenUnits: number
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
  /** The bytes that the token stands for, or null where the tokenizer does not tell. */
  bytes(token: number): readonly number[] | null
  /** Texts of tokens that are found in every text, also where no control tokens are looked for. */
  readonly userDefined: ReadonlyMap<number, string>
  /** Text of a control token, which `detokenize` leaves out; empty for every other token. */
  controlText(token: number): string
  isEndOfGeneration(token: number): boolean
}

/** How the next token is drawn. Every field is explicit: no default of the runtime leaks in. */
export interface SamplingOptions {
  readonly temperature: number
  readonly topP: number
  /** 0 is off. */
  readonly topK: number
  readonly minP: number
  /** 0 … 2³² − 1. A draw is made of it and of its place in the answer alone. */
  readonly seed: number
  readonly frequencyPenalty: number
  readonly presencePenalty: number
  /** 1 is off. */
  readonly repetitionPenalty: number
}

/** How far one answer has come in a grammar. Made by an engine, and moved on by its draws. */
export interface GrammarState {
  readonly grammar: string
}

/** Natural logarithms of probabilities that the model itself gave, before any sampling option. */
export interface DrawLogprobs {
  readonly drawn: number
  /** The likeliest tokens, best first: {@link LIKELIEST_TOKENS}, and the drawn one if not there. */
  readonly likeliest: readonly { readonly token: number; readonly logprob: number }[]
}

/** As many as a request can ask for. */
export const LIKELIEST_TOKENS = TOP_LOGPROBS_MAX

export interface Draw {
  readonly token: number
  /** Null where they were not asked for. */
  readonly logprobs: DrawLogprobs | null
}

export interface GenerateOptions {
  readonly sampling: SamplingOptions
  /** What the next token has to follow, asked before every draw. */
  readonly grammar: () => GrammarState | null
  /** Pairs of token and bias. Before every draw the engine adds each bias to the token's logit. */
  readonly logitBias: readonly (readonly [number, number])[]
  /** Tokens that are not drawn while a grammar holds, asked before every draw. */
  readonly bannedUnderGrammar: () => readonly number[]
  readonly logprobs: boolean
  /** The answer so far, asked before every draw: for the penalties, and for the draw's seed. */
  readonly answered: () => readonly number[]
  /** Whether the answer never shares a batch with other sequences. */
  readonly alone: boolean
}

/**
 * What a sequence held, or what it can be made to hold, outside of the model's memory: whoever
 * takes it apart or puts it together takes none of the model's time.
 */
export interface SequenceCopy {
  readonly tokens: number
  readonly bytes: number
  /**
   * Copies blocks out of it, which were computed by `prefill`. Blocks have the schedule's size; the
   * last one ends with `to`, and is smaller where that is not its end.
   *
   * @param from the first token, of a block; `to` the one behind the last
   * @throws Error when the runtime's state is not laid out as expected
   */
  readBlocks(from: number, to: number): Promise<readonly Uint8Array[]>
  /** Forgets it. Never rejects. */
  release(): Promise<void>
}

export type DrawStream = AsyncGenerator<Draw, void, readonly number[] | undefined>

/** One conversation's place in the model's memory. At most one call may be in flight. */
export interface EngineSequence {
  /** Tokens that the sequence holds. */
  readonly length: number
  /**
   * Tokens that the runtime itself counted as evaluated since the sequence was made, without those
   * that only filled up a batch.
   */
  readonly evaluatedTokens: number
  /** Forgets everything from `length` on. */
  truncate(length: number): Promise<void>
  /**
   * Computes more of a prompt, in the batches of the engine's schedule.
   *
   * @param kind of the whole prompt
   */
  prefill(tokens: readonly number[], kind: PromptKind): Promise<void>
  /** Blocks of a copy that is forgotten at once. @throws as {@link SequenceCopy.readBlocks} */
  readBlocks(from: number, to: number): Promise<readonly Uint8Array[]>
  /** Loads blocks. @throws as {@link copyOf} and {@link load} */
  restore(tokens: readonly number[], blocks: readonly Uint8Array[]): Promise<void>
  /**
   * What a sequence would hold after it computed these tokens, made of blocks that were read from
   * sequences of the same model. The model's memory is not touched.
   *
   * @param tokens what the blocks stand for
   * @throws Error when the blocks do not hold these tokens, or there is no room for them
   */
  copyOf(tokens: readonly number[], blocks: readonly Uint8Array[]): Promise<SequenceCopy>
  /**
   * Copies all that the sequence holds, tokens of an answer too.
   *
   * @throws Error when there is no room for it; the sequence is as it was
   */
  copy(): Promise<SequenceCopy>
  /**
   * Replaces what the sequence holds by what this or another sequence of the engine held. Nothing
   * is computed: the counter of evaluated tokens stays as it is.
   *
   * @throws Error when it cannot be taken; the sequence's state is in doubt then
   */
  load(copy: SequenceCopy): Promise<void>
  /**
   * Computes the tokens, the last of a prompt or those that an answer goes on from, and draws
   * tokens without an end. Tokens that are handed to `next` take the place of the last draw.
   *
   * @throws DrawFailed when the grammar leaves no token, or is too costly to follow
   */
  generate(tokens: readonly number[], options: GenerateOptions): DrawStream
}

/** Counters since the start. */
export interface BatchCounts {
  /** Batches of prompts, and their tokens, with those that only filled them up. */
  prompt: number
  promptTokens: number
  /** Batches of next tokens, and how many tokens were in them. */
  decode: number
  decodeTokens: number
}

export function noBatches(): BatchCounts {
  return { prompt: 0, promptTokens: 0, decode: 0, decodeTokens: 0 }
}

export interface Engine {
  readonly vocabulary: Vocabulary
  readonly batches: Readonly<BatchCounts>
  /** Tokens that fit one sequence: prompt and output together. */
  readonly contextSize: number
  /** The schedules that may hold for this model on this device, the best first. */
  readonly schedules: readonly PromptSchedule[]
  /**
   * The schedule that the engine computes prompts by, so that others have their turn in between.
   */
  schedule: PromptSchedule
  readonly sequences: readonly EngineSequence[]
  /** False for models whose memory cannot be cut back to a prefix. */
  readonly canReusePrefix: boolean
  /** False when a draw depends on those before it: then an answer cannot be put aside. */
  readonly drawsByPlace: boolean
  /** False when the runtime does not give the probabilities of the model itself. */
  readonly tellsLogprobs: boolean
  /**
   * Begins an answer under a grammar.
   *
   * @returns null when no text of the grammar begins like that
   * @throws BadGrammar when the grammar cannot be read
   */
  startGrammar(start: GrammarStart): GrammarState | null
  /** Gives up a sequence whose state is in doubt and returns an empty one in its place. */
  replace(sequence: EngineSequence): Promise<EngineSequence>
  dispose(): Promise<void>
}

export interface GrammarStart {
  /** Whose answer it is: what is kept of a grammar is kept for this tenant alone. */
  readonly tenant: string
  /** GBNF. */
  readonly grammar: string
  /** What of the answer is there already. Default: nothing. */
  readonly begun?: string
  /** Tokens that came after it. Default: none. */
  readonly drawn?: readonly number[]
}

export interface GpuFacts {
  /** Of the card, or of each of them. */
  readonly name: string
  /** The driver and what computes for it, with versions; empty where the system does not tell. */
  readonly libraries: readonly string[]
}

/** What is known of the model from its file, and of the runtime that computes it. */
export interface ModelFacts {
  /** The name by which customers ask for the model. */
  readonly modelName: string
  /** True for the bundled demo model. */
  readonly toy: boolean
  /** Names the content of the model's file. */
  readonly digest: string
  /** The Jinja chat template, or null when the file has none. */
  readonly chatTemplate: string | null
  readonly threads: number
  readonly cpuVariant: string
  /** What computes. */
  readonly device: 'cpu' | 'cuda' | 'vulkan' | 'metal'
  /** Null where the CPU computes. */
  readonly gpu: GpuFacts | null
  readonly runtimeRelease: string
  readonly libraryVersion: string
}

/** Which kind of GPU computes. `auto` takes the best one that works, which can be the CPU. */
export const gpuChoices = ['off', 'auto', 'cuda', 'vulkan', 'metal'] as const
export type Gpu = (typeof gpuChoices)[number]
export type GpuKind = Exclude<Gpu, 'auto' | 'off'>

/** What was chosen for `auto`. */
export interface GpuChoice {
  readonly gpu: GpuKind | 'off'
  /** Why a GPU that is there is not used, in one line; null when there is nothing to say. */
  readonly problem: string | null
}

/** The name of the bundled model, in place of a file. */
export const DEMO_MODEL = 'demo'

/** What the operator asks of an engine. */
export interface EngineSettings {
  /** {@link DEMO_MODEL}, a path, or a Hugging Face URI such as `hf:user/repository:Q4_K_M`. */
  readonly model: string
  /** The folder where downloaded models are. */
  readonly modelsFolder: string
  /** Tokens of each sequence; null takes what the model was trained for, up to the next. */
  readonly contextSize: number | null
  readonly contextSizeMax: number
  readonly sequences: number
  readonly threads: number
  readonly gpu: Gpu
}

/** The process that an engine runs in. */
export interface EngineHost {
  readonly log: Log
  /** Sees whether the runtime comes back. */
  readonly watch: RuntimeWatch
}

/**
 * Loads a model and reserves the memory of its sequences: the one door of an engine's folder.
 *
 * @throws StartRefused with one line for the operator
 */
export type OpenEngine = (
  settings: EngineSettings,
  host: EngineHost,
) => Promise<{ readonly engine: Engine; readonly facts: ModelFacts }>
