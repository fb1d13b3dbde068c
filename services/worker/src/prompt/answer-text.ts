/**
 * From drawn tokens to the text that a client may see, in three steps: whole characters, reasoning
 * apart from the answer, and stop texts (which apply to the answer only).
 */
import type { Vocabulary } from '../engine/engine.ts'
import { StopStrings } from './stop-strings.ts'
import { type Piece, ThinkingSplitter } from './thinking.ts'
import { TokenText } from './utf8.ts'

export interface AnswerStep {
  readonly pieces: readonly Piece[]
  /** The stop text that ended the answer, or null. */
  readonly stopText: string | null
}

/** Prompt tokens at the end that can show an open `<think>`. */
const PROMPT_TAIL_TOKENS = 16

export class AnswerText {
  readonly #characters: TokenText
  readonly #thinking: ThinkingSplitter
  readonly #stops: StopStrings

  constructor(vocabulary: Vocabulary, prompt: readonly number[], stops: readonly string[]) {
    const tail = vocabulary.detokenize(prompt.slice(-PROMPT_TAIL_TOKENS), [])
    this.#characters = new TokenText(vocabulary)
    this.#thinking = new ThinkingSplitter(/<think>\s*$/.test(tail))
    this.#stops = new StopStrings(stops)
  }

  get reasoningTokens(): number {
    return this.#thinking.reasoningTokens
  }

  push(token: number): AnswerStep {
    return this.#stopAt(this.#thinking.push(this.#characters.push(token)))
  }

  /** What was held back when the model ended, the limit was reached or the client stopped. */
  end(): AnswerStep {
    const rest = [...this.#restOfCharacters(), ...this.#thinking.end()]
    const { pieces, stopText } = this.#stopAt(rest)
    if (stopText !== null) return { pieces, stopText }
    const held = this.#stops.end()
    return { pieces: held === '' ? pieces : [...pieces, { kind: 'text', text: held }], stopText }
  }

  #restOfCharacters(): Piece[] {
    const text = this.#characters.end()
    return text === '' ? [] : this.#thinking.pushRest(text)
  }

  #stopAt(pieces: readonly Piece[]): AnswerStep {
    const passed: Piece[] = []
    for (const piece of pieces) {
      if (piece.kind === 'reasoning') {
        passed.push(piece)
        continue
      }
      const { text, stopText } = this.#stops.push(piece.text)
      if (text !== '') passed.push({ kind: 'text', text })
      if (stopText !== null) return { pieces: passed, stopText }
    }
    return { pieces: passed, stopText: null }
  }
}
