/**
 * An engine in memory that says what a script says and can be made to fail: for tests, and the
 * smallest example of an engine.
 */
import { BLOCK_TOKENS } from '@svc/contracts/ports/prefix-store'
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
  /** Called before blocks are put into a sequence; may throw. */
  readonly restore?: () => void
  /** Called before a sequence is copied whole; may throw. */
  readonly copy?: () => void
  /** Called before a whole sequence is put back; may throw. */
  readonly load?: () => void
  /** Default: it can. */
  readonly canReusePrefix?: boolean
  readonly chunkTokens?: number
  /** What is copied out after blocks were put in has other bytes. */
  readonly forgetsOnRestore?: boolean
  /** After a whole sequence was put in the answer is another one. */
  readonly forgetsOnLoad?: boolean
  /** The answer after blocks were put in is another one. */
  readonly answersOtherwise?: boolean
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
  ...{ modelName: 'scripted', toy: true, digest: 'scripted' },
  chatTemplate:
    '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}' +
    '<|im_start|>assistant\n',
  ...{ threads: 1, cpuVariant: 'none', device: 'cpu' },
  ...{ runtimeRelease: 'none', libraryVersion: 'none' },
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
  const make = () => new ScriptedSequence(script, steps, batches)
  return {
    steps,
    replaced,
    started,
    vocabulary: byteVocabulary({ control: script.control ?? [] }),
    contextSize: script.contextSize ?? 4096,
    chunkTokens: script.chunkTokens ?? BLOCK_TOKENS,
    sequences: Array.from({ length: script.sequences ?? 1 }, make),
    canReusePrefix: script.canReusePrefix ?? true,
    batches,
    drawsByPlace: true,
    tellsLogprobs: script.tellsLogprobs ?? true,
    startGrammar(grammar, begun, drawn = []) {
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
}

class ScriptedSequence implements EngineSequence {
  readonly #script: Script
  readonly #steps: Step[]
  readonly #batches: BatchCounts
  #tokens: number[] = []
  #answered = 0
  #restored = false
  #forgot = false
  evaluatedTokens = 0

  constructor(script: Script, steps: Step[], batches: BatchCounts) {
    this.#script = script
    this.#steps = steps
    this.#batches = batches
  }

  get length(): number {
    return this.#tokens.length
  }

  async truncate(length: number): Promise<void> {
    this.#tokens.length = length
    this.#answered = 0
  }

  async prefill(tokens: readonly number[]): Promise<void> {
    await this.#step('prefill', tokens, false)
    this.evaluatedTokens += this.#script.extraEvaluated ?? 0
  }

  /** The bytes of a block are its tokens: what is put back can be compared. */
  async readBlocks(from: number, to: number): Promise<readonly Uint8Array[]> {
    return Array.from({ length: to - from }, (_, index) => {
      const begin = (from + index) * BLOCK_TOKENS
      const tokens = this.#tokens.slice(begin, begin + BLOCK_TOKENS)
      const changed = this.#restored && this.#script.forgetsOnRestore === true
      return Uint8Array.from(changed ? tokens.toReversed() : tokens)
    })
  }

  async restore(tokens: readonly number[], blocks: readonly Uint8Array[]): Promise<void> {
    this.#script.restore?.()
    const held = blocks.flatMap((block) => [...block])
    if (held.join() !== tokens.map((token) => token % 256).join())
      throw new Error('the blocks are of other tokens')
    this.#tokens = [...tokens]
    this.#restored = true
  }

  async copy(): Promise<SequenceCopy> {
    this.#script.copy?.()
    return new ScriptedCopy([...this.#tokens])
  }

  async load(copy: SequenceCopy): Promise<void> {
    this.#script.load?.()
    if (!(copy instanceof ScriptedCopy)) throw new Error('the copy is of another engine')
    this.#tokens = [...copy.held()]
    this.#forgot = this.#script.forgetsOnLoad === true
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
      await this.#step('draw', tokens, options.alone, options.grammar()?.grammar ?? null)
      const otherwise = this.#forgot || (this.#restored && this.#script.answersOtherwise === true)
      const token = (otherwise ? undefined : answer[this.#answered]) ?? imEnd
      const instead = yield scriptedDraw(token, options)
      if (instead === undefined) this.#answered += 1
      tokens = instead ?? [token]
    }
  }

  async #step(
    kind: Step['kind'],
    tokens: readonly number[],
    alone: boolean,
    grammar: string | null = null,
  ): Promise<void> {
    const step = { kind, alone, sequence: this, tokens: [...this.#tokens, ...tokens], grammar }
    this.#steps.push(step)
    await this.#script.step?.(step)
    this.#tokens.push(...tokens)
    this.evaluatedTokens += tokens.length
    this.#batches[kind === 'draw' ? 'decode' : 'prompt'] += 1
    this.#batches[kind === 'draw' ? 'decodeTokens' : 'promptTokens'] += tokens.length
  }
}

class ScriptedCopy implements SequenceCopy {
  #held: number[] | null

  constructor(held: number[]) {
    this.#held = held
  }

  get tokens(): number {
    return this.held().length
  }

  get bytes(): number {
    return this.tokens
  }

  held(): number[] {
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
