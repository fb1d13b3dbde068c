/** What every reader of answers promises, whichever family wrote the answer. */

export interface ThinkingMarkers {
  readonly open: string
  /** Ends the thinking; injected when a budget is used up. */
  readonly close: string
  /** Begins the answer after `close`; injected too unless a grammar or a call is to follow. */
  readonly answer: string
}

export interface ReaderOptions {
  /** Tools whose calls are taken out of the text. None: what looks like a call is text. */
  readonly callable: readonly string[]
  /** Whether the answer can be nothing but calls, after thinking. */
  readonly mustCall: boolean
  /** Whether the prompt ended in open thinking. */
  readonly inReasoning: boolean
}

export interface TextPiece {
  readonly kind: 'text' | 'reasoning' | 'arguments'
  readonly text: string
  /** The offset of the piece in what the reader was fed, in UTF-16 units. */
  readonly from: number
}

/** A piece of an answer. `arguments` go on the last call. */
export type Piece = TextPiece | { readonly kind: 'call'; readonly name: string }

/** `undecided`: what was read so far may become thinking, and is held back. */
export type ReadingPhase = 'undecided' | 'reasoning' | 'answer' | 'call'

/**
 * Reads thinking and calls out of an answer's text. What comes out does not depend on how the text
 * was cut into pieces. It never throws, and what it holds back is bounded.
 */
export interface AnswerReader {
  readonly phase: ReadingPhase
  /** The text of a call from its opening on, as it was fed. Empty outside of a call. */
  readonly callText: string
  push(text: string): Piece[]
  /**
   * The answer has ended: what was held back is given out as what it seemed to be. The beginning of
   * a call is left out where the answer was cut off in it, because nobody wrote it as text.
   *
   * @param cut whether the model would have gone on
   */
  end(cut: boolean): Piece[]
}
