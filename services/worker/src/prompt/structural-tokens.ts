/**
 * Tokens of a model that carry structure and that the tokeniser finds in any text.
 *
 * A model file types its special tokens as control tokens, which plain text never becomes, or as
 * user-defined ones, which llama.cpp finds in every text. Some files type so what opens a turn, a
 * call or the thinking. Others type so pieces of plain text (runs of spaces, HTML tags), which a
 * client may write.
 */
import type { Vocabulary } from '../engines/engine.ts'
import type { Family } from './families/family.ts'

/** The form of special tokens in most vocabularies, whoever uses them: `<|fim_prefix|>`. */
const SPECIAL_FORM = /^<[|｜].*[|｜]>$/s

/** @returns the structural ones of the user-defined tokens, with their texts */
export function structuralTokens(
  { userDefined, beginOfTextString, endOfTextString }: Vocabulary,
  chatTemplate: string,
  { controlMarkers, callOpenings, thinking }: Family,
): ReadonlyMap<number, string> {
  const markers = [...controlMarkers, ...callOpenings, thinking.open, thinking.close]
  const structure = [chatTemplate, ...markers, beginOfTextString, endOfTextString]
  const isStructural = (text: string): boolean =>
    SPECIAL_FORM.test(text) || structure.some((each) => each.includes(text))
  // White space separates words too, and what is one character long cannot be broken apart.
  const isWord = (text: string): boolean => text.trim().length > 1
  return new Map([...userDefined].filter(([, text]) => isWord(text) && isStructural(text)))
}

/** Cuts a text within each of these, so that the tokeniser finds none of them. */
export class StructureBreaker {
  readonly #starts: RegExp | null

  constructor(texts: Iterable<string>) {
    const alternatives = [...texts].map(RegExp.escape).join('|')
    this.#starts = alternatives === '' ? null : new RegExp(`(?=${alternatives})`, 'gu')
  }

  /** @returns the pieces of the text, in order */
  pieces(text: string): string[] {
    if (this.#starts === null) return [text]
    const pieces: string[] = []
    let from = 0
    for (const { index } of text.matchAll(this.#starts)) {
      const behindFirst = index + String.fromCodePoint(text.codePointAt(index) ?? 0).length
      pieces.push(text.slice(from, behindFirst))
      from = behindFirst
    }
    pieces.push(text.slice(from))
    return pieces
  }
}
