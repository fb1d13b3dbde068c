/**
 * Turns tokens into text as they come, and never gives out half a character: a character of several
 * bytes may be spread over several tokens, and until its last one it reads as U+FFFD. Control
 * tokens have no text, except for those that carry the syntax of a model's family.
 */
import type { Vocabulary } from '../engines/engine.ts'

const REPLACEMENT = '\uFFFD'
/** Tokens of given-out text that the tokenizer sees before new ones, for its rules about spaces. */
const CONTEXT_TOKENS = 4
/** A model that only writes broken bytes is held back no longer than this. */
const HELD_TOKENS_MAX = 64

export class TokenText {
  readonly #vocabulary: Vocabulary
  readonly #markers: ReadonlySet<string> | null
  #context: number[] = []
  /** Tokens whose text is not completely given out. */
  #held: number[] = []
  /** UTF-16 units of the held tokens' text that are given out already. */
  #given = 0

  /** @param markers control tokens whose text is given out; null for all of them */
  constructor(vocabulary: Vocabulary, markers: readonly string[] | null = []) {
    this.#vocabulary = vocabulary
    this.#markers = markers === null ? null : new Set(markers)
  }

  /** @returns the text that is certain with this token; may be empty */
  push(token: number): string {
    const marker = this.#vocabulary.controlText(token)
    if (marker !== '' && (this.#markers === null || this.#markers.has(marker))) {
      return this.end() + marker
    }
    this.#held.push(token)
    const text = this.#heldText()
    if (text.endsWith(REPLACEMENT) && this.#held.length < HELD_TOKENS_MAX) {
      return this.#give(text, withoutTail(text))
    }
    return this.#release(text)
  }

  /** @returns what was held back; a character that stayed incomplete reads as U+FFFD */
  end(): string {
    return this.#release(this.#heldText())
  }

  #heldText(): string {
    return this.#held.length === 0 ? '' : this.#vocabulary.detokenize(this.#held, this.#context)
  }

  #give(text: string, certain: number): string {
    const piece = text.slice(this.#given, certain)
    this.#given = Math.max(this.#given, certain)
    return piece
  }

  #release(text: string): string {
    const piece = text.slice(this.#given)
    this.#context = [...this.#context, ...this.#held].slice(-CONTEXT_TOKENS)
    this.#held = []
    this.#given = 0
    return piece
  }
}

function withoutTail(text: string): number {
  let end = text.length
  while (end > 0 && text.charAt(end - 1) === REPLACEMENT) end -= 1
  return end
}
