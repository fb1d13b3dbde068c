/**
 * An engine in memory that says what a script says and can be made to fail: for tests, and the
 * smallest example of an engine.
 */
import { BLOCK_TOKENS_MAX } from '@svc/contracts/ports/prefix-store'
import {
  BadGrammar,
  type BatchCounts,
  type Draw,
  type DrawStream,
  type Engine,
  type EngineSequence,
  type GenerateOptions,
  type ModelFacts,
  noBatches,
  type OpenEngine,
  type SequenceCopy,
} from '../engine.ts'
import {
  anyTokenSchedule,
  canonicalSchedule,
  type PromptKind,
  type PromptSchedule,
} from '../prompt-schedule.ts'
import { byteVocabulary, imEnd } from './byte-vocabulary.ts'

export interface Script {
  /** The text that follows every prompt. Default: nothing. */
  readonly answer?: string
  readonly contextSize?: number
  readonly sequences?: number
  /** Awaited before every chunk and every draw; may throw to make the batch fail. */
  readonly step?: (step: Step) => Promise<void> | void
  /** Whether an answer under a grammar may begin so. Default: it may. */
  readonly mayBegin?: (begun: string) => boolean
  readonly tellsLogprobs?: boolean
  /** Default: all but the grammar `bad`. */
  readonly readsGrammars?: boolean
  /** Texts of control tokens that the vocabulary has besides those of ChatML. */
  readonly control?: readonly string[]
  /** Tokens that the runtime's counter adds to every prompt chunk, to disagree. */
  readonly extraEvaluated?: number
  /** Awaited before blocks are put together; may throw. */
  readonly restore?: () => void | Promise<void>
  /** Awaited before blocks are taken out of a copy. */
  readonly takeApart?: () => Promise<void>
  /** The engine calls this before it copies a sequence whole; it may throw. */
  readonly copy?: () => void
  /** The engine calls this before it puts a whole sequence back; it may throw. */
  readonly load?: () => void
  /** Default: it can. */
  readonly canReusePrefix?: boolean
  readonly chunkTokens?: number
  /** Whether memory may be cut after any token: it is the schedule then. Default: not. */
  readonly cutsAnywhere?: boolean
  /** What the batch that a token was computed in adds to its byte: then bytes depend on batches. */
  readonly batchMark?: (batch: Batch) => number
  /** What is copied out after blocks were put in has other bytes. */
  readonly forgetsOnRestore?: boolean
  /** Whether the answer is another one after a whole sequence was put in. */
  readonly forgetsOnLoad?: boolean
  /** The answer after blocks were put in is another one. */
  readonly answersOtherwise?: boolean
}

/**
 * A batch: where it begins in the sequence, its tokens, and the rows that these are filled up to.
 */
export interface Batch {
  readonly from: number
  readonly tokens: number
  readonly rows: number
}

export interface Step {
  readonly kind: 'prefill' | 'draw'
  readonly alone: boolean
  readonly sequence: EngineSequence
  /** What the sequence holds after the step. */
  readonly tokens: readonly number[]
  /** The grammar that the draw has to follow. */
  readonly grammar: string | null
}

export interface Started {
  readonly grammar: string
  readonly begun: string
  readonly drawn: readonly number[]
}

export interface ScriptedEngine extends Engine {
  readonly steps: Step[]
  readonly replaced: EngineSequence[]
  /** Every begun grammar with what was there of the answer. */
  readonly started: Started[]
}

/** Describes the model fully enough to put a whole worker together around the script. */
const facts: ModelFacts = {
  modelName: 'scripted',
  toy: true,
  digest: 'scripted',
  chatTemplate:
    '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}' +
    '<|im_start|>assistant\n',
  threads: 1,
  cpuVariant: 'none',
  device: 'cpu',
  gpu: null,
  runtimeRelease: 'none',
  libraryVersion: 'none',
}

/** The door of this folder. */
export function openScripted(script: Script): OpenEngine {
  return async ({ sequences, contextSize, contextSizeMax }) => ({
    engine: scriptedEngine({ sequences, contextSize: contextSize ?? contextSizeMax, ...script }),
    facts,
  })
}

export function scriptedEngine(script: Script = {}): ScriptedEngine {
  const steps: Step[] = []
  const replaced: EngineSequence[] = []
  const started: Started[] = []
  const batches = noBatches()
  const chunkTokens = script.chunkTokens ?? BLOCK_TOKENS_MAX
  const canonical = canonicalSchedule(chunkTokens)
  const schedules = script.cutsAnywhere ? [anyTokenSchedule(chunkTokens), canonical] : [canonical]
  const make = () => new ScriptedSequence(script, steps, batches, () => engine.schedule)
  const engine: ScriptedEngine = {
    steps,
    replaced,
    started,
    vocabulary: byteVocabulary({ control: script.control ?? [] }),
    contextSize: script.contextSize ?? 4096,
    schedules,
    schedule: schedules[0] ?? canonical,
    sequences: Array.from({ length: script.sequences ?? 1 }, make),
    canReusePrefix: script.canReusePrefix ?? true,
    batches,
    drawsByPlace: true,
    tellsLogprobs: script.tellsLogprobs ?? true,
    startGrammar({ grammar, begun = '', drawn = [] }) {
      const reads = script.readsGrammars ?? grammar !== 'bad'
      if (!reads) throw new BadGrammar('bad grammar')
      if (script.mayBegin?.(begun) === false) return null
      started.push({ grammar, begun, drawn: [...drawn] })
      return { grammar }
    },
    async replace(sequence) {
      replaced.push(sequence)
      return make()
    },
    async dispose() {},
  }
  return engine
}

class ScriptedSequence implements EngineSequence {
  readonly #script: Script
  readonly #steps: Step[]
  readonly #batches: BatchCounts
  readonly #schedule: () => PromptSchedule
  #tokens: number[] = []
  /** What the batch of each token adds to the token's byte. */
  #marks: number[] = []
  #answered = 0
  #restored = false
  #forgot = false
  evaluatedTokens = 0

  constructor(script: Script, steps: Step[], batches: BatchCounts, schedule: () => PromptSchedule) {
    this.#script = script
    this.#steps = steps
    this.#batches = batches
    this.#schedule = schedule
  }

  get length(): number {
    return this.#tokens.length
  }

  async truncate(length: number): Promise<void> {
    this.#tokens.length = length
    this.#marks.length = length
    this.#answered = 0
  }

  async prefill(tokens: readonly number[], kind: PromptKind): Promise<void> {
    const begin = this.length
    const end = begin + tokens.length
    const { batchEnd, rowsOf } = this.#schedule().batches[kind]
    while (this.length < end) {
      const to = batchEnd(this.length, end)
      const rows = rowsOf(to - this.length)
      await this.#step({ kind: 'prefill', rows }, tokens.slice(this.length - begin, to - begin))
      this.evaluatedTokens += this.#script.extraEvaluated ?? 0
    }
  }

  readBlocks(from: number, to: number): Promise<readonly Uint8Array[]> {
    return this.#copy().readBlocks(from, to)
  }

  async restore(tokens: readonly number[], blocks: readonly Uint8Array[]): Promise<void> {
    await this.load(await this.copyOf(tokens, blocks))
  }

  async copyOf(tokens: readonly number[], blocks: readonly Uint8Array[]): Promise<SequenceCopy> {
    await this.#script.restore?.()
    const bytes = blocks.flatMap((block) => [...block])
    if (bytes.join() !== tokens.map((token) => token % 256).join())
      throw new Error('the blocks are of other tokens')
    const { blockTokens } = this.#schedule()
    const state = { tokens: [...tokens], bytes, blockTokens, isOfBlocks: true }
    return new ScriptedCopy(state, this.#script)
  }

  async copy(): Promise<SequenceCopy> {
    this.#script.copy?.()
    return this.#copy()
  }

  async load(copy: SequenceCopy): Promise<void> {
    if (!(copy instanceof ScriptedCopy)) throw new Error('the copy is of another engine')
    const { tokens, isOfBlocks } = copy.held()
    if (!isOfBlocks) this.#script.load?.()
    this.#tokens = [...tokens]
    this.#marks = tokens.map(() => 0)
    if (isOfBlocks) this.#restored = true
    else this.#forgot = this.#script.forgetsOnLoad === true
  }

  /** The bytes of a block are its tokens: what is put back can be compared. */
  #copy(): ScriptedCopy {
    const { blockTokens } = this.#schedule()
    const bytes = this.#tokens.map((token, at) => token + (this.#marks[at] ?? 0))
    const changed = this.#restored && this.#script.forgetsOnRestore === true
    if (changed) bytes.reverse()
    const state = { tokens: [...this.#tokens], bytes, blockTokens, isOfBlocks: false }
    return new ScriptedCopy(state, this.#script)
  }

  /** A draw that is replaced by forced tokens comes again after them. */
  async *generate(first: readonly number[], options: GenerateOptions): DrawStream {
    const answer = byteVocabulary({ control: this.#script.control ?? [] }).tokenize(
      this.#script.answer ?? '',
      true,
      true,
    )
    this.#answered = options.answered().length
    let tokens = first
    while (true) {
      const { alone } = options
      const grammar = options.grammar()?.grammar ?? null
      await this.#step({ kind: 'draw', rows: tokens.length, alone, grammar }, tokens)
      const otherwise = this.#forgot || (this.#restored && this.#script.answersOtherwise === true)
      const token = (otherwise ? undefined : answer[this.#answered]) ?? imEnd
      const instead = yield scriptedDraw(token, options)
      if (instead === undefined) this.#answered += 1
      tokens = instead ?? [token]
    }
  }

  async #step(
    { kind, rows, alone = false, grammar = null }: ScriptedBatch,
    tokens: readonly number[],
  ): Promise<void> {
    const step = { kind, alone, sequence: this, tokens: [...this.#tokens, ...tokens], grammar }
    this.#steps.push(step)
    await this.#script.step?.(step)
    const batch = { from: this.length, tokens: tokens.length, rows }
    const mark = this.#script.batchMark?.(batch) ?? 0
    this.#marks.push(...tokens.map(() => mark))
    this.#tokens.push(...tokens)
    this.evaluatedTokens += tokens.length
    this.#batches[kind === 'draw' ? 'decode' : 'prompt'] += 1
    this.#batches[kind === 'draw' ? 'decodeTokens' : 'promptTokens'] += tokens.length
  }
}

interface ScriptedBatch extends Pick<Step, 'kind'>, Partial<Pick<Step, 'alone' | 'grammar'>> {
  readonly rows: number
}

interface ScriptedState {
  readonly tokens: readonly number[]
  readonly bytes: readonly number[]
  readonly blockTokens: number
  /** Whether it was put together, not copied. */
  readonly isOfBlocks: boolean
}

class ScriptedCopy implements SequenceCopy {
  readonly #script: Script
  #held: ScriptedState | null

  constructor(held: ScriptedState, script: Script) {
    this.#held = held
    this.#script = script
  }

  get tokens(): number {
    return this.held().tokens.length
  }

  get bytes(): number {
    return this.tokens
  }

  async readBlocks(from: number, to: number): Promise<readonly Uint8Array[]> {
    await this.#script.takeApart?.()
    const { bytes, blockTokens } = this.held()
    return Array.from({ length: Math.ceil((to - from) / blockTokens) }, (_, index) => {
      const begin = from + index * blockTokens
      return Uint8Array.from(bytes.slice(begin, Math.min(to, begin + blockTokens)))
    })
  }

  held(): ScriptedState {
    if (this.#held === null) throw new Error('the copy was forgotten')
    return this.#held
  }

  async release(): Promise<void> {
    this.#held = null
  }
}

/** Log probabilities that tell by their value which token they are of. */
function scriptedDraw(token: number, { logprobs }: GenerateOptions): Draw {
  if (!logprobs) return { token, logprobs: null }
  const likeliest = [token, token + 1, token + 2].map((each) => ({
    token: each,
    logprob: -each / 1000,
  }))
  return { token, logprobs: { drawn: -token / 1000, likeliest } }
}
