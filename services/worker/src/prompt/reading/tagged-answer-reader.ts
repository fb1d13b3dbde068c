/** Reads answers of families that think between two tags first, and then write text and calls. */
import type {
  AnswerReader,
  Piece,
  ReaderOptions,
  ReadingPhase,
  ThinkingMarkers,
} from './answer-reader.ts'
import { CallReader } from './call-reader.ts'
import type { CallSyntax } from './call-syntax.ts'
import { ThinkingReader } from './thinking-reader.ts'

export class TaggedAnswerReader implements AnswerReader {
  readonly #syntax: CallSyntax
  readonly #options: ReaderOptions
  readonly #thinking: ThinkingReader
  #calls: CallReader | null = null

  constructor(syntax: CallSyntax, markers: ThinkingMarkers, options: ReaderOptions) {
    this.#syntax = syntax
    this.#options = options
    this.#thinking = new ThinkingReader(markers.open, markers.close, options.inReasoning)
  }

  get phase(): ReadingPhase {
    if (this.#thinking.phase === 'start') return 'undecided'
    if (this.#thinking.phase === 'reasoning') return 'reasoning'
    return this.#calls?.inCall === true ? 'call' : 'answer'
  }

  get callText(): string {
    return this.#calls?.callText ?? ''
  }

  push(text: string): Piece[] {
    if (this.#calls !== null) return this.#calls.push(text)
    const reasoning = this.#thinking.push(text)
    return this.#thinking.phase === 'answer' ? [...reasoning, ...this.#answer()] : reasoning
  }

  end(cut: boolean): Piece[] {
    const reasoning = this.#thinking.end()
    const answer = this.#calls === null ? this.#answer() : []
    return [...reasoning, ...answer, ...(this.#calls?.end(cut) ?? [])]
  }

  #answer(): Piece[] {
    const { text, from } = this.#thinking.rest()
    this.#calls = new CallReader(this.#syntax, this.#options, from)
    return this.#calls.push(text)
  }
}
