/** One sequence of a llama.cpp context behind the {@link EngineSequence} port. */
import {
  type LlamaContextSequence,
  type SequenceEvaluateOptions,
  type Token,
  TokenBias,
} from 'node-llama-cpp'
import type { RuntimeWatch } from '../../process/runtime-watch.ts'
import {
  type Draw,
  DrawFailed,
  type DrawLogprobs,
  type DrawStream,
  type EngineSequence,
  type GenerateOptions,
  type SamplingOptions,
  type SequenceCopy,
} from '../engine.ts'
import type { PromptBatches, PromptKind, PromptSchedule } from '../prompt-schedule.ts'
import { PRIORITY_ALONE, prioritySharedOf } from './batching.ts'
import type { ContextGate } from './context-gate.ts'
import { drawSeed } from './draw-seed.ts'
import { nativeStateOf } from './grammars.ts'
import { addBias, mendDraws, sequenceNumberOf } from './internals.ts'
import { LlamaSequenceCopy, type SequenceStates } from './states/sequence-states.ts'

/** The library's type has five of them; it hands any number on to the strategy of batches. */
type EvaluationPriority = SequenceEvaluateOptions['evaluationPriority'] & number

/** Output tokens that penalties look back on. */
const PENALTY_WINDOW_TOKENS = 1024
/**
 * How long one draw under a grammar may take; most take a few milliseconds. An ambiguous grammar
 * can need twice as long for every further token, and a draw holds up all sequences, so such an
 * answer is given up. Time that passes while the machine has no processor for this process does not
 * count.
 */
const GRAMMAR_MS_MAX = 1_000
const MICROSECONDS_PER_MS = 1_000
/** What a batch is filled up with: any token does, because none before it sees it. */
const FILLING = 0
/** The runtime leaves the last cell of a sequence free. */
const FREE_CELLS = 1
/** What the library says when the native method gives no token. */
const NOTHING_SAMPLED_MESSAGE = 'Failed to sample next token'

export class LlamaSequence implements EngineSequence {
  readonly native: LlamaContextSequence
  /** False when the library does not let a draw have a seed of its own. */
  readonly drawsByPlace: boolean
  readonly #states: SequenceStates
  readonly #gate: ContextGate
  readonly #watch: RuntimeWatch
  readonly #schedule: () => PromptSchedule
  readonly #vocabularySize: number
  readonly #priority: number
  /** Tokens that the runtime evaluated only to fill up batches. */
  #filledTokens = 0
  /** The place of the next draw in its answer. */
  #place: () => number = () => 0

  constructor(
    native: LlamaContextSequence,
    shared: {
      readonly states: SequenceStates
      readonly gate: ContextGate
      readonly watch: RuntimeWatch
      readonly schedule: () => PromptSchedule
      readonly vocabularySize: number
    },
  ) {
    this.native = native
    this.#states = shared.states
    this.#gate = shared.gate
    this.#watch = shared.watch
    this.#schedule = shared.schedule
    this.#vocabularySize = shared.vocabularySize
    this.#priority = prioritySharedOf(sequenceNumberOf(native))
    this.drawsByPlace = mendDraws(native, (seed) => drawSeed(seed, this.#place()))
  }

  get length(): number {
    return this.native.nextTokenIndex
  }

  get evaluatedTokens(): number {
    const meter = this.native.tokenMeter
    return meter.usedInputTokens + meter.usedOutputTokens - this.#filledTokens
  }

  async truncate(length: number): Promise<void> {
    if (length < this.length) {
      await this.#alone(() =>
        this.native.eraseContextTokenRanges([{ start: length, end: this.length }]),
      )
    }
  }

  async prefill(tokens: readonly number[], kind: PromptKind): Promise<void> {
    const begin = this.length
    const end = begin + tokens.length
    const batches = this.#schedule().batches[kind]
    while (this.length < end) {
      const to = batches.batchEnd(this.length, end)
      await this.#computeBatch(tokens.slice(this.length - begin, to - begin), batches)
    }
  }

  /**
   * Filled up behind the tokens; at the end of the context, where there is no room, by tokens
   * before them that are computed once more, to the same bytes.
   */
  async #computeBatch(tokens: readonly number[], { rowsOf }: PromptBatches): Promise<void> {
    const end = this.length + tokens.length
    const filling = rowsOf(tokens.length) - tokens.length
    if (filling === 0 || end + filling + FREE_CELLS <= this.native.contextSize) {
      await this.#evaluate([...tokens, ...Array<number>(filling).fill(FILLING)])
    } else {
      const again = this.native.contextTokens.slice(-filling)
      await this.truncate(this.length - filling)
      await this.#evaluate([...again, ...tokens])
    }
    this.#filledTokens += filling
    await this.truncate(end)
  }

  async #evaluate(tokens: readonly number[]): Promise<void> {
    await this.#gate.pass()
    await this.#watch.during(() =>
      this.native.evaluateWithoutGeneratingNewTokens(tokens as Token[]),
    )
  }

  async readBlocks(from: number, to: number): Promise<readonly Uint8Array[]> {
    const copy = await this.copy()
    return await copy.readBlocks(from, to).finally(() => copy.release())
  }

  async restore(tokens: readonly number[], blocks: readonly Uint8Array[]): Promise<void> {
    const copy = await this.copyOf(tokens, blocks)
    await this.load(copy).finally(() => copy.release())
  }

  copyOf(tokens: readonly number[], blocks: readonly Uint8Array[]): Promise<SequenceCopy> {
    return this.#states.copyOf(tokens, blocks, this.#schedule().blockTokens)
  }

  #alone<Result>(use: () => Promise<Result>): Promise<Result> {
    return this.#watch.during(() => this.#gate.alone(use))
  }

  copy(): Promise<SequenceCopy> {
    return this.#alone(() => this.#states.copy(this.native, this.#schedule().blockTokens))
  }

  async load(copy: SequenceCopy): Promise<void> {
    if (!(copy instanceof LlamaSequenceCopy)) throw new Error('the copy is of another engine')
    await this.#alone(() => this.#states.load(this.native, copy))
  }

  async *generate(tokens: readonly number[], options: GenerateOptions): DrawStream {
    this.#place = () => options.answered().length
    let boundSince: Moment | null = null
    const grammar = () => {
      const run = options.grammar()
      boundSince = run === null ? null : moment()
      return run
    }
    const draws = this.native.evaluateWithMetadata(
      [...tokens] as Token[],
      { probabilities: options.logprobs },
      this.#evaluateOptions({ ...options, grammar }),
    )
    let instead: readonly number[] | undefined
    try {
      while (true) {
        await this.#gate.pass()
        const { value, done } = await this.#watch
          .during(() => draws.next(instead as Token[]))
          .catch(throwDrawFailed)
        if (done === true) return
        if (boundSince !== null && isTooLong(boundSince)) {
          throw new DrawFailed('grammar_too_costly', 'the grammar is too costly to follow')
        }
        instead = yield drawOf(value)
      }
    } finally {
      await draws.return()
    }
  }

  #evaluateOptions(options: GenerateOptions): SequenceEvaluateOptions {
    const { sampling, answered, grammar, alone } = options
    return {
      temperature: sampling.temperature,
      topP: sampling.topP,
      // The runtime would cut a large number to its lowest 32 bits.
      topK: sampling.topK < this.#vocabularySize ? sampling.topK : 0,
      minP: sampling.minP,
      seed: sampling.seed,
      ...penaltiesOf(sampling, answered),
      tokenBias: this.#biases(options),
      grammarEvaluationState: () => nativeStateOf(grammar()),
      evaluationPriority: (alone ? PRIORITY_ALONE : this.#priority) as EvaluationPriority,
      yieldEogToken: true,
    }
  }

  /** One bias for free draws, and one for each list of bans: the runtime asks before each draw. */
  #biases({ logitBias, bannedUnderGrammar, grammar }: GenerateOptions): () => TokenBias {
    const made = new Map<readonly number[] | null, TokenBias>()
    return () => {
      const banned = grammar() === null ? null : bannedUnderGrammar()
      const known = made.get(banned)
      if (known !== undefined) return known
      const bias = TokenBias.for(this.native.model)
      for (const [token, logit] of logitBias) addBias(bias, token, logit)
      for (const token of banned ?? []) addBias(bias, token, Number.NEGATIVE_INFINITY)
      made.set(banned, bias)
      return bias
    }
  }
}

/**
 * Leaves the penalties out where the request asks for none, because the library would copy the
 * whole answer for every draw.
 */
function penaltiesOf(
  { repetitionPenalty, frequencyPenalty, presencePenalty }: SamplingOptions,
  answered: () => readonly number[],
): Pick<SequenceEvaluateOptions, 'repeatPenalty'> {
  if (repetitionPenalty === 1 && frequencyPenalty === 0 && presencePenalty === 0) return {}
  return {
    repeatPenalty: {
      punishTokens: () => answered().slice(-PENALTY_WINDOW_TOKENS) as Token[],
      maxPunishTokens: PENALTY_WINDOW_TOKENS,
      penalty: repetitionPenalty,
      frequencyPenalty,
      presencePenalty,
    },
  }
}

interface Moment {
  readonly ms: number
  /** Processor time of all threads of the process. */
  readonly processor: NodeJS.CpuUsage
}

function moment(): Moment {
  return { ms: performance.now(), processor: process.cpuUsage() }
}

/** What the process has worked since is the most that the draw can have. */
function isTooLong({ ms, processor }: Moment): boolean {
  if (performance.now() - ms <= GRAMMAR_MS_MAX) return false
  const { user, system } = process.cpuUsage(processor)
  return user + system > GRAMMAR_MS_MAX * MICROSECONDS_PER_MS
}

function throwDrawFailed(error: unknown): never {
  if (error instanceof Error && error.message === NOTHING_SAMPLED_MESSAGE) {
    throw new DrawFailed('grammar_stuck', 'the grammar leaves no token')
  }
  throw error
}

/** @param drawn with natural logarithms in place of probabilities: see `internals.ts` */
function drawOf({
  token,
  probabilities,
}: {
  readonly token: Token
  readonly probabilities?: ReadonlyMap<Token, number>
}): Draw {
  return { token, logprobs: probabilities === undefined ? null : logprobsOf(token, probabilities) }
}

function logprobsOf(token: Token, logprobs: ReadonlyMap<Token, number>): DrawLogprobs | null {
  const drawn = logprobs.get(token)
  if (drawn === undefined) return null
  const likeliest = Array.from(logprobs, ([token, logprob]) => ({ token, logprob }))
  return { drawn, likeliest: likeliest.toSorted((a, b) => b.logprob - a.logprob) }
}
