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
  type SequenceCopy,
} from '../engine.ts'
import { PRIORITY_ALONE, PRIORITY_SHARED } from './batching.ts'
import type { ContextGate } from './context-gate.ts'
import { drawSeed } from './draw-seed.ts'
import { nativeStateOf } from './grammars.ts'
import { addBias, seedDraws } from './internals.ts'
import { LlamaSequenceCopy, type SequenceStates } from './sequence-states.ts'

/** More than any vocabulary has. The runtime would cut a larger number to its lowest 32 bits. */
const TOP_K_MAX = 2 ** 31 - 1
/** Output tokens that penalties look back on. */
const PENALTY_WINDOW_TOKENS = 1024
/**
 * Of one draw under a grammar, which takes a few. An ambiguous grammar can need twice as long for
 * every further token, and a draw holds up all sequences: such an answer is given up. Time that
 * passes while the machine has no processor for this process does not count.
 */
const GRAMMAR_MS_MAX = 1_000
const MICROSECONDS_PER_MS = 1_000
/** What the library says when the native method gives no token. */
const NOTHING_SAMPLED_MESSAGE = 'Failed to sample next token'

export class LlamaSequence implements EngineSequence {
  readonly native: LlamaContextSequence
  /** False when the library does not let a draw have a seed of its own. */
  readonly drawsByPlace: boolean
  readonly #states: SequenceStates
  readonly #gate: ContextGate
  readonly #watch: RuntimeWatch
  readonly #chunkTokens: number
  /** Of the next draw, in its answer. */
  #place: () => number = () => 0

  constructor(
    native: LlamaContextSequence,
    shared: {
      readonly states: SequenceStates
      readonly gate: ContextGate
      readonly watch: RuntimeWatch
      readonly chunkTokens: number
    },
  ) {
    this.native = native
    this.#states = shared.states
    this.#gate = shared.gate
    this.#watch = shared.watch
    this.#chunkTokens = shared.chunkTokens
    this.drawsByPlace = seedDraws(native, (seed) => drawSeed(seed, this.#place()))
  }

  get length(): number {
    return this.native.nextTokenIndex
  }

  get evaluatedTokens(): number {
    const meter = this.native.tokenMeter
    return meter.usedInputTokens + meter.usedOutputTokens
  }

  async truncate(length: number): Promise<void> {
    if (length < this.length) {
      await this.#alone(() =>
        this.native.eraseContextTokenRanges([{ start: length, end: this.length }]),
      )
    }
  }

  async prefill(tokens: readonly number[]): Promise<void> {
    for (let from = 0; from < tokens.length; ) {
      const to = from + this.#chunkTokens - (this.length % this.#chunkTokens)
      const chunk = tokens.slice(from, to) as Token[]
      await this.#gate.pass()
      await this.#watch.during(() => this.native.evaluateWithoutGeneratingNewTokens(chunk))
      from = to
    }
  }

  readBlocks(from: number, to: number): Promise<readonly Uint8Array[]> {
    return this.#alone(() => this.#states.read(this.native, from, to))
  }

  restore(tokens: readonly number[], blocks: readonly Uint8Array[]): Promise<void> {
    return this.#alone(() => this.#states.restore(this.native, tokens, blocks))
  }

  #alone<Result>(use: () => Promise<Result>): Promise<Result> {
    return this.#watch.during(() => this.#gate.alone(use))
  }

  copy(): Promise<SequenceCopy> {
    return this.#alone(() => this.#states.copy(this.native))
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
      topK: Math.min(sampling.topK, TOP_K_MAX),
      minP: sampling.minP,
      seed: sampling.seed,
      repeatPenalty: {
        punishTokens: () => answered().slice(-PENALTY_WINDOW_TOKENS) as Token[],
        maxPunishTokens: PENALTY_WINDOW_TOKENS,
        penalty: sampling.repetitionPenalty,
        frequencyPenalty: sampling.frequencyPenalty,
        presencePenalty: sampling.presencePenalty,
      },
      tokenBias: this.#biases(options),
      grammarEvaluationState: () => nativeStateOf(grammar()),
      evaluationPriority: alone ? PRIORITY_ALONE : PRIORITY_SHARED,
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

interface Moment {
  readonly ms: number
  /** Of all threads of the process. */
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
