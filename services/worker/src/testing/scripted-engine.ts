/** A model for tests that says what a script says and can be made to fail. */
import type { Engine, EngineSequence, GenerateOptions } from '../engine/engine.ts'
import { bytes, byteVocabulary } from './byte-vocabulary.ts'

export interface Script {
  /** The text that follows every prompt. Default: nothing. */
  readonly answer?: string
  readonly contextSize?: number
  readonly sequences?: number
  /** Awaited before every chunk and every draw; may throw to make the batch fail. */
  readonly step?: (step: Step) => Promise<void> | void
  /** Tokens that the runtime's counter adds to every prompt chunk, to disagree. */
  readonly extraEvaluated?: number
}

export interface Step {
  readonly kind: 'prefill' | 'draw'
  readonly alone: boolean
  readonly sequence: EngineSequence
  /** What the sequence holds after the step. */
  readonly tokens: readonly number[]
}

export interface ScriptedEngine extends Engine {
  readonly steps: Step[]
  readonly replaced: EngineSequence[]
}

export function scriptedEngine(script: Script = {}): ScriptedEngine {
  const steps: Step[] = []
  const replaced: EngineSequence[] = []
  const make = () => new ScriptedSequence(script, steps)
  return {
    steps,
    replaced,
    vocabulary: byteVocabulary(),
    contextSize: script.contextSize ?? 4096,
    sequences: Array.from({ length: script.sequences ?? 1 }, make),
    canReusePrefix: true,
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
  #tokens: number[] = []
  #answered = 0
  evaluatedTokens = 0

  constructor(script: Script, steps: Step[]) {
    this.#script = script
    this.#steps = steps
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

  async *generate(lastToken: number, options: GenerateOptions): AsyncGenerator<number, void, void> {
    const answer = bytes(this.#script.answer ?? '')
    this.#answered = options.penalised().length
    let token: number | undefined = lastToken
    while (token !== undefined) {
      await this.#step('draw', [token], options.alone)
      token = answer[this.#answered]
      this.#answered += 1
      if (token !== undefined) yield token
    }
  }

  async #step(kind: Step['kind'], tokens: readonly number[], alone: boolean): Promise<void> {
    const step = { kind, alone, sequence: this, tokens: [...this.#tokens, ...tokens] }
    this.#steps.push(step)
    await this.#script.step?.(step)
    this.#tokens.push(...tokens)
    this.evaluatedTokens += tokens.length
  }
}
