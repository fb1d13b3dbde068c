/**
 * Splits what a model writes into reasoning, between `<think>` and `</think>`, and the answer.
 *
 *     start ──"<think>" first──▶ reasoning ──"</think>"──▶ gap ──not white──▶ answer
 *       └──anything else first──────────────────────────────────────────────▶ answer
 *
 * Once the answer has begun, a tag is text like any other. The tags, and the white space around
 * the reasoning, belong to neither part. A prompt may end in `<think>`: then it starts in
 * `reasoning`.
 */
export type TextKind = 'text' | 'reasoning'

export interface Piece {
  readonly kind: TextKind
  readonly text: string
}

const OPEN = '<think>'
const CLOSE = '</think>'

type Phase = 'start' | 'reasoning' | 'gap' | 'answer'

export class ThinkingSplitter {
  #phase: Phase
  #held = ''
  /** Whether a leading `<think>` was seen. */
  #thought = false
  #reasoningBegun = false
  #undecidedTokens = 0
  #reasoningTokens = 0

  /** @param inReasoning whether the prompt ended in an open `<think>` */
  constructor(inReasoning: boolean) {
    this.#phase = inReasoning ? 'reasoning' : 'start'
  }

  /** Tokens that were part of the reasoning, its tags included. */
  get reasoningTokens(): number {
    return this.#reasoningTokens
  }

  /** @param piece the text of one token; may be empty */
  push(piece: string): Piece[] {
    const before = this.#phase
    const pieces = this.pushRest(piece)
    this.#countToken(before)
    return pieces
  }

  /** Text that belongs to tokens which were counted before. */
  pushRest(piece: string): Piece[] {
    this.#held += piece
    const pieces: Piece[] = []
    this.#advance(pieces)
    return pieces
  }

  /** The model has ended: what was held back is given out as what it seemed to be. */
  end(): Piece[] {
    const kind: TextKind = this.#phase === 'reasoning' ? 'reasoning' : 'text'
    const text = this.#phase === 'gap' ? '' : this.#held
    this.#held = ''
    return text === '' ? [] : [{ kind, text }]
  }

  #countToken(before: Phase): void {
    if (before === 'start' && this.#phase === 'start') this.#undecidedTokens += 1
    else if (before === 'reasoning') this.#reasoningTokens += 1
    else if (before === 'start' && this.#thought) this.#reasoningTokens += this.#undecidedTokens + 1
  }

  #advance(pieces: Piece[]): void {
    if (this.#phase === 'start') this.#leaveStart()
    if (this.#phase === 'reasoning') this.#readReasoning(pieces)
    if (this.#phase === 'gap') this.#skipGap()
    if (this.#phase === 'answer' && this.#held !== '') {
      pieces.push({ kind: 'text', text: this.#held })
      this.#held = ''
    }
  }

  #leaveStart(): void {
    const text = this.#held.trimStart()
    if (text.startsWith(OPEN)) {
      this.#thought = true
      this.#phase = 'reasoning'
      this.#held = text.slice(OPEN.length)
    } else if (!OPEN.startsWith(text)) {
      this.#phase = 'answer'
    }
  }

  #readReasoning(pieces: Piece[]): void {
    if (!this.#reasoningBegun) this.#held = this.#held.trimStart()
    const close = this.#held.indexOf(CLOSE)
    const certain = close === -1 ? certainLength(this.#held) : close
    const text = this.#held.slice(0, certain).trimEnd()
    if (text !== '') {
      this.#reasoningBegun = true
      pieces.push({ kind: 'reasoning', text })
    }
    if (close === -1) {
      this.#held = this.#held.slice(text.length)
    } else {
      this.#held = this.#held.slice(close + CLOSE.length)
      this.#phase = 'gap'
    }
  }

  #skipGap(): void {
    this.#held = this.#held.trimStart()
    if (this.#held !== '') this.#phase = 'answer'
  }
}

/** Length of the text without an end that may become `</think>`. */
function certainLength(text: string): number {
  for (let length = Math.min(text.length, CLOSE.length - 1); length > 0; length -= 1) {
    if (CLOSE.startsWith(text.slice(-length))) return text.length - length
  }
  return text.length
}
