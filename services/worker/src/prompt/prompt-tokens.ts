/**
 * Tokenises a rendered prompt so that nothing a client wrote becomes a control token, or one that
 * carries structure: only the template's own text is searched for them.
 *
 * Between two of them everything is tokenised as one text, as it was when the model was
 * trained: a tool's name does not fall into other tokens because it came from elsewhere than the
 * quotes around it.
 *
 * It is done in slices: a client can write a text that is cut into tens of thousands of pieces, and
 * each takes a call of the tokeniser, or one of megabytes, which is cut into parts.
 */
import { RecentlyUsed } from '@svc/infra/recently-used'
import { atOnce, type Slices } from '@svc/infra/turns/slices'
import type { Vocabulary } from '../engines/engine.ts'
import type { PromptPart } from './conversation/slots.ts'
import { StructureBreaker } from './structural-tokens.ts'
import { partsOf } from './text-parts.ts'

/** Changes when the same conversation becomes other tokens. */
export const PROMPT_VERSION = 'prompt-4'

/** A template writes few different texts; more than this are not remembered. */
const REMEMBERED_TEXTS_MAX = 4096
/** Longer texts are not remembered. */
const REMEMBERED_CHARACTERS_MAX = 4096

/** What is tokenised in one slice, or a whole part of a text, in UTF-16 units. */
const SLICE_UNITS = 8 * 1024
/** A call takes as long as this many units, however short its text is. */
const UNITS_PER_CALL = 150

/** A template's text: what stands before, between and after its control tokens. */
interface Cut {
  readonly before: string
  /** All tokens from the first to the last control token; empty when there is none. */
  readonly tokens: readonly number[]
  readonly after: string
}

export class PromptTokeniser {
  readonly #vocabulary: Vocabulary
  readonly #cuts = new RecentlyUsed<string, Cut>({ entriesMax: REMEMBERED_TEXTS_MAX })

  readonly #structural: ReadonlyMap<number, string>
  readonly #breaker: StructureBreaker
  /** UTF-16 units that are left of the slice. */
  #unitsLeft = SLICE_UNITS

  /** @param structural tokens that stand for structure and would be found in any text */
  constructor(vocabulary: Vocabulary, structural: ReadonlyMap<number, string>) {
    this.#vocabulary = vocabulary
    this.#structural = structural
    this.#breaker = new StructureBreaker(structural.values())
  }

  /** @returns the tokens, the one for the beginning of every text included */
  *tokenise(parts: readonly PromptPart[]): Slices<number[]> {
    const tokens: number[] = []
    let text = ''
    for (const part of parts) {
      if (part.origin === 'content') {
        text += part.text
        continue
      }
      const cut = this.#cut(part.text)
      text += cut.before
      if (cut.tokens.length === 0) continue
      yield* this.#add(text, tokens.length > 0, tokens)
      for (const token of cut.tokens) tokens.push(token)
      text = cut.after
    }
    yield* this.#add(text, tokens.length > 0, tokens)
    const { beginOfText } = this.#vocabulary
    return beginOfText === null || tokens[0] === beginOfText ? tokens : [beginOfText, ...tokens]
  }

  /** Adds those of a text, none of which is looked for structure. */
  *#add(text: string, continues: boolean, tokens: number[]): Slices<void> {
    let isFirst = !continues
    for (const piece of this.#breaker.pieces(text)) {
      for (const part of partsOf(piece)) {
        const added = this.#vocabulary.tokenize(part, false, !isFirst)
        isFirst = false
        for (const token of added) tokens.push(token)
        this.#unitsLeft -= part.length + UNITS_PER_CALL
        if (this.#unitsLeft > 0) continue
        this.#unitsLeft = SLICE_UNITS
        yield
      }
    }
  }

  #cut(text: string): Cut {
    const cut = () => this.#cutAtControlTokens(text)
    return text.length > REMEMBERED_CHARACTERS_MAX ? cut() : this.#cuts.getOrMake(text, cut)
  }

  /**
   * The texts around the control tokens are found by turning the tokens around them back into text:
   * a control token may have taken white space beside it. Where that text does not give the same
   * tokens again, the tokens stay as they are.
   */
  #cutAtControlTokens(text: string): Cut {
    const tokens = this.#vocabulary.tokenize(text, true, true)
    const isControl = (token: number) =>
      this.#vocabulary.controlText(token) !== '' || this.#structural.has(token)
    const first = tokens.findIndex(isControl)
    if (first === -1) return { before: text, tokens: [], after: '' }
    const last = tokens.findLastIndex(isControl) + 1
    const before = this.#textOf(tokens.slice(0, first))
    const after = this.#textOf(tokens.slice(last))
    return {
      before: before ?? '',
      tokens: tokens.slice(before === null ? 0 : first, after === null ? undefined : last),
      after: after ?? '',
    }
  }

  #textOf(tokens: readonly number[]): string | null {
    const text = this.#vocabulary.detokenize(tokens, [])
    const again: number[] = []
    atOnce(this.#add(text, true, again))
    const same = again.length === tokens.length && again.every((each, at) => each === tokens[at])
    return same ? text : null
  }
}
