/**
 * Splits what a model writes into reasoning, between two tags, and the rest.
 *
 *     start ──open tag first──▶ reasoning ──close tag──▶ gap ──not white──▶ answer
 *       ├──close tag first──────────────────────────────▶ gap
 *       └──anything else first────────────────────────────────────────────▶ answer
 *
 * A close tag comes first where the prompt has closed the thinking already and the model closes it
 * once more.
 * Once the answer has begun, a tag is text like any other. The tags, and the white space around
 * the reasoning, belong to neither part; of a model that writes nothing else for long it is given
 * out, because what is held back has a bound. A prompt may end in the open tag: then it starts in
 * `reasoning`.
 */
import type { Piece, ThinkingMarkers } from './answer-reader.ts'
import { SPACE_CHARACTERS_MAX, unfinishedMarker, whiteSpaceLength } from './call-syntax.ts'

type Phase = 'start' | 'reasoning' | 'gap' | 'answer'

export class ThinkingReader {
  readonly #open: string
  readonly #close: string
  #phase: Phase
  #held = ''
  #from = 0
  #reasoningBegun = false

  /** @param inReasoning whether the prompt ended in an open tag */
  constructor(open: string, close: string, inReasoning: boolean) {
    this.#open = open
    this.#close = close
    this.#phase = inReasoning ? 'reasoning' : 'start'
  }

  get phase(): Phase {
    return this.#phase
  }

  /**
   * Reads more of the answer. Once the phase is `answer` all that is fed belongs there, and
   * {@link rest} has what was read of it.
   *
   * @returns what of the text is reasoning
   */
  push(text: string): Piece[] {
    this.#held += text
    const pieces: Piece[] = []
    if (this.#phase === 'start') this.#leaveStart()
    if (this.#phase === 'reasoning') this.#readReasoning(pieces)
    if (this.#phase === 'gap') this.#skipGap()
    return pieces
  }

  /** @returns the held reasoning, when the answer ended in it */
  end(): Piece[] {
    if (this.#phase !== 'reasoning' || this.#held === '') return []
    const from = this.#from
    return [{ kind: 'reasoning', text: this.#take(this.#held.length), from }]
  }

  /** What was fed and is no reasoning, taken out. */
  rest(): { readonly text: string; readonly from: number } {
    const from = this.#from
    return { text: this.#phase === 'gap' ? '' : this.#take(this.#held.length), from }
  }

  #leaveStart(): void {
    const space = whiteSpaceLength(this.#held)
    const text = this.#held.slice(space)
    if (space > SPACE_CHARACTERS_MAX) {
      this.#phase = 'answer'
    } else if (text.startsWith(this.#open)) {
      this.#phase = 'reasoning'
      this.#take(space + this.#open.length)
    } else if (text.startsWith(this.#close)) {
      this.#phase = 'gap'
      this.#take(space + this.#close.length)
    } else if (!this.#open.startsWith(text) && !this.#close.startsWith(text)) {
      this.#phase = 'answer'
    }
  }

  #readReasoning(pieces: Piece[]): void {
    if (!this.#reasoningBegun) this.#take(whiteSpaceLength(this.#held))
    const close = this.#held.indexOf(this.#close)
    const certain =
      close === -1 ? this.#held.length - unfinishedMarker(this.#held, [this.#close]) : close
    const wordsEnd = this.#held.slice(0, certain).trimEnd().length
    const text = this.#held.slice(0, Math.max(wordsEnd, certain - SPACE_CHARACTERS_MAX))
    if (text !== '') {
      this.#reasoningBegun = true
      pieces.push({ kind: 'reasoning', text, from: this.#from })
    }
    if (close === -1) {
      this.#take(text.length)
    } else {
      this.#take(close + this.#close.length)
      this.#phase = 'gap'
    }
  }

  #skipGap(): void {
    this.#take(whiteSpaceLength(this.#held))
    if (this.#held !== '') this.#phase = 'answer'
  }

  #take(length: number): string {
    const text = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    this.#from += length
    return text
  }
}

/** The tags that models put around their thinking. */
const usual: ThinkingMarkers = { open: '<think>', close: '</think>', answer: '' }
const others: readonly ThinkingMarkers[] = [
  { open: '[THINK]', close: '[/THINK]', answer: '' },
  { open: '<seed:think>', close: '</seed:think>', answer: '' },
  { open: '<|START_THINKING|>', close: '<|END_THINKING|>', answer: '' },
]

/** @returns the tags that the chat template speaks of, or else the usual ones */
export function thinkingMarkers(chatTemplate: string): ThinkingMarkers {
  if (chatTemplate.includes(usual.open)) return usual
  return others.find(({ open }) => chatTemplate.includes(open)) ?? usual
}

/** Whether a prompt ends in an open tag. */
export function endsOpen({ open }: ThinkingMarkers, promptTail: string): boolean {
  return promptTail.trimEnd().endsWith(open)
}
