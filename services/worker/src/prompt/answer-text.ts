/**
 * From drawn tokens to what a client may see of an answer, in three steps: whole characters;
 * thinking and tool calls apart from the text, as the model's family writes them; and stop texts,
 * which apply to the text only.
 */
import type { Vocabulary } from '../engines/engine.ts'
import type { Family } from './families/family.ts'
import type { AnswerReader, Piece, ReadingPhase } from './reading/answer-reader.ts'
import { StopStrings } from './stop-strings.ts'
import { TextOrigins } from './text-origins.ts'
import { TokenText } from './utf8.ts'

export type AnswerPiece =
  | {
      readonly kind: 'text'
      readonly text: string
      /** The drawn tokens that it is made of: 0 for the first one of the answer. */
      readonly drawn: readonly number[]
    }
  | { readonly kind: 'reasoning' | 'arguments'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string }

export interface AnswerStep {
  readonly pieces: readonly AnswerPiece[]
  /** The stop text that ended the answer, or null. */
  readonly stopText: string | null
  /** The first drawn token that later text may be made of. */
  readonly shownFrom: number
}

type ReadStep = Omit<AnswerStep, 'shownFrom'>

export interface AnswerTextParts {
  readonly vocabulary: Vocabulary
  readonly family: Family
  readonly prompt: readonly number[]
  readonly stops: readonly string[]
  /** Tools whose calls are taken out of the text. */
  readonly callable: readonly string[]
  /** Whether the answer can be nothing but calls, after thinking. */
  readonly mustCall: boolean
}

/** Prompt tokens at the end that can show open thinking. */
const PROMPT_TAIL_TOKENS = 16

export class AnswerText {
  readonly #characters: TokenText
  readonly #reader: AnswerReader
  readonly #stops: StopStrings
  readonly #origins = new TextOrigins()
  #undecidedTokens = 0
  #reasoningTokens = 0

  constructor({ vocabulary, family, prompt, stops, callable, mustCall }: AnswerTextParts) {
    const tail = textWithMarkers(vocabulary, prompt.slice(-PROMPT_TAIL_TOKENS))
    this.#characters = new TokenText(vocabulary, family.controlMarkers)
    this.#reader = family.answerReader({
      callable,
      mustCall,
      inReasoning: family.opensThinking(tail),
    })
    this.#stops = new StopStrings(stops)
  }

  /** Tokens that were part of the thinking, its markers included. */
  get reasoningTokens(): number {
    return this.#reasoningTokens
  }

  /** `undecided` while what was drawn may still become the beginning of thinking. */
  get phase(): ReadingPhase {
    return this.#reader.phase
  }

  /**
   * The text that was drawn from the opening of a call on. A grammar that begins there has to be
   * fed with it.
   */
  get callText(): string {
    return this.#reader.callText
  }

  push(token: number): AnswerStep {
    const before = this.#reader.phase
    const text = this.#characters.push(token)
    this.#origins.drawn(text.length)
    const pieces = this.#reader.push(text)
    this.#countToken(before)
    return this.#step(this.#stopAt(pieces))
  }

  /**
   * What was held back when the answer ended.
   *
   * @param cut whether the limit was reached or the client stopped, and not the model
   */
  end(cut: boolean): AnswerStep {
    const text = this.#characters.end()
    this.#origins.more(text.length)
    const held = [...this.#reader.push(text), ...this.#reader.end(cut)]
    const { pieces, stopText } = this.#stopAt(held)
    if (stopText !== null) return this.#step({ pieces, stopText })
    return this.#step({ pieces: [...pieces, ...this.#releaseStops()], stopText })
  }

  #step({ pieces, stopText }: ReadStep): AnswerStep {
    return { pieces, stopText, shownFrom: this.#origins.firstUnshown }
  }

  #countToken(before: ReadingPhase): void {
    const after = this.#reader.phase
    if (before === 'reasoning') {
      this.#reasoningTokens += 1
      this.#undecidedTokens = 0
    } else if (before === 'undecided' && after === 'undecided') {
      this.#undecidedTokens += 1
    } else if (before === 'undecided' && after === 'reasoning') {
      this.#reasoningTokens += this.#undecidedTokens + 1
      this.#undecidedTokens = 0
    } else {
      this.#undecidedTokens = after === 'undecided' ? 1 : 0
    }
  }

  #stopAt(pieces: readonly Piece[]): ReadStep {
    const passed: AnswerPiece[] = []
    for (const piece of pieces) {
      if (piece.kind !== 'text') {
        // A stop text never spans what stands between two texts.
        passed.push(...this.#releaseStops(), withoutPlace(piece))
        if (piece.kind !== 'call') this.#origins.other(piece.from + piece.text.length)
        continue
      }
      this.#origins.text(piece.from, piece.text.length)
      const { text, stopText } = this.#stops.push(piece.text)
      passed.push(...this.#shown(text))
      if (stopText !== null) return { pieces: passed, stopText }
    }
    return { pieces: passed, stopText: null }
  }

  #releaseStops(): AnswerPiece[] {
    return this.#shown(this.#stops.end())
  }

  #shown(text: string): AnswerPiece[] {
    return text === '' ? [] : [{ kind: 'text', text, drawn: this.#origins.take(text.length) }]
  }
}

function withoutPlace(piece: Exclude<Piece, { kind: 'text' }>): AnswerPiece {
  if (piece.kind === 'call') return piece
  const kind = piece.kind === 'reasoning' ? 'reasoning' : 'arguments'
  return { kind, text: piece.text }
}

function textWithMarkers(vocabulary: Vocabulary, tokens: readonly number[]): string {
  const text = new TokenText(vocabulary, null)
  return tokens.map((token) => text.push(token)).join('') + text.end()
}
