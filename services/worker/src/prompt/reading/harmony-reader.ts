/**
 * Reads the messages of an answer in OpenAI's harmony format.
 *
 *     header ──"<|message|>"──▶ reasoning | text | arguments ──"<|end|>", "<|start|>" …──▶ header
 *        └──no header──▶ text
 *
 * The channel and the recipient in the header tell what a message is. A message to anyone but a
 * callable function is text.
 */
import type { AnswerReader, Piece, ReaderOptions, ReadingPhase } from './answer-reader.ts'
import { mayBecome, SPACE_CHARACTERS_MAX, unfinishedMarker } from './call-syntax.ts'

export const harmonyMarkers = {
  start: '<|start|>',
  channel: '<|channel|>',
  constrain: '<|constrain|>',
  message: '<|message|>',
  end: '<|end|>',
  call: '<|call|>',
  return: '<|return|>',
} as const

const { start, channel, constrain, message } = harmonyMarkers
/** Any of these ends a message; a missing end before a new header does as well. */
const endings = [harmonyMarkers.end, harmonyMarkers.call, harmonyMarkers.return, start, channel]
/** What a header can begin with. Anything else is text without a header. */
const headerBeginnings = [start, channel, constrain, message, ' to=']
/** Longer headers are text. */
const HEADER_CHARACTERS_MAX = 1024

/** `argumentsStart`: a call's header was read, and no brace yet. */
type Phase = 'header' | 'reasoning' | 'text' | 'argumentsStart' | 'arguments'

export class HarmonyReader implements AnswerReader {
  readonly #callable: ReadonlySet<string>
  readonly #mustCall: boolean
  #phase: Phase
  #held = ''
  #from = 0
  #callName = ''
  #callText = ''

  constructor({ callable, mustCall, inReasoning }: ReaderOptions) {
    this.#callable = new Set(callable)
    this.#mustCall = mustCall
    this.#phase = inReasoning ? 'reasoning' : 'header'
  }

  get phase(): ReadingPhase {
    if (this.#phase === 'header') return this.#headerOfCall() ? 'call' : 'undecided'
    if (this.#phase === 'reasoning') return 'reasoning'
    return this.#phase === 'text' ? 'answer' : 'call'
  }

  get callText(): string {
    return this.phase === 'call' ? this.#callText + this.#held : ''
  }

  push(text: string): Piece[] {
    this.#held += text
    const pieces: Piece[] = []
    while (this.#advance(pieces)) {
      // Every step takes text away or changes the phase, so this comes to an end.
    }
    return pieces
  }

  end(cut: boolean): Piece[] {
    const pieces: Piece[] = []
    if (this.#phase === 'argumentsStart') this.#endBeforeArguments(pieces, cut)
    else if (this.#phase === 'header') this.#endHeader(pieces, cut)
    else this.#give(pieces, this.#held.length)
    this.#held = ''
    return pieces
  }

  #advance(pieces: Piece[]): boolean {
    if (this.#held === '') return false
    if (this.#phase === 'header') return this.#readHeader(pieces)
    if (this.#phase === 'argumentsStart') return this.#startArguments(pieces)
    return this.#readMessage(pieces)
  }

  #readHeader(pieces: Piece[]): boolean {
    const end = this.#held.indexOf(message)
    const length = end === -1 ? this.#held.length : end + message.length
    const begun = headerBeginnings.some(
      (each) => this.#held.startsWith(each) || mayBecome(this.#held, each),
    )
    if (!begun || length > HEADER_CHARACTERS_MAX) {
      this.#phase = 'text'
      // One character less is no marker any more, so that the header is not tried again.
      if (begun) this.#give(pieces, 1)
      return true
    }
    if (end === -1) return false
    const header = this.#held.slice(0, end)
    const name = recipientOf(header)
    if (name !== null && this.#callable.has(name)) {
      this.#callName = name
      this.#callText = this.#held.slice(0, length)
      this.#phase = 'argumentsStart'
    } else {
      this.#phase = header.includes(`${channel}analysis`) && name === null ? 'reasoning' : 'text'
    }
    this.#drop(length)
    return true
  }

  /** Whether the header so far is that of a call. */
  #headerOfCall(): boolean {
    return this.#callable.size > 0 && this.#held.includes(' to=functions.')
  }

  #startArguments(pieces: Piece[]): boolean {
    const rest = this.#held.trimStart()
    const space = this.#held.length - rest.length
    if (space > SPACE_CHARACTERS_MAX) this.#phase = 'text'
    else if (rest === '') return false
    else if (rest.startsWith('{')) this.#call(pieces, null)
    else if (endings.some((each) => rest.startsWith(each))) this.#call(pieces, '{}')
    else if (endings.some((each) => mayBecome(rest, each))) return false
    else this.#phase = 'text'
    return true
  }

  #call(pieces: Piece[], complete: string | null): void {
    pieces.push({ kind: 'call', name: this.#callName })
    if (complete !== null) pieces.push({ kind: 'arguments', text: complete, from: this.#from })
    this.#phase = 'arguments'
  }

  #readMessage(pieces: Piece[]): boolean {
    const found = endings
      .map((each) => ({ each, at: this.#held.indexOf(each) }))
      .filter(({ at }) => at !== -1)
      .sort((a, b) => a.at - b.at)[0]
    if (found === undefined) {
      this.#give(pieces, this.#held.length - unfinishedMarker(this.#held, endings))
      return false
    }
    this.#give(pieces, found.at)
    // A header that begins without an end before it stays, to be read as a header.
    const opensHeader = found.each === start || found.each === channel
    this.#drop(opensHeader ? 0 : found.each.length)
    this.#callText = ''
    this.#phase = 'header'
    return true
  }

  /** Arguments that were cut off before they began are not known to be none. */
  #endBeforeArguments(pieces: Piece[], cut: boolean): void {
    if (!cut) this.#call(pieces, '{}')
  }

  /** A header that was cut off is syntax; what is none is text. */
  #endHeader(pieces: Piece[], cut: boolean): void {
    const begun = headerBeginnings.some((each) => this.#held.startsWith(each))
    const isSyntax = begun || (cut && this.#mustCall)
    if (!isSyntax) this.#give(pieces, this.#held.length)
  }

  #give(pieces: Piece[], length: number): void {
    const text = this.#held.slice(0, length)
    if (text !== '') {
      const kind = this.#phase === 'reasoning' || this.#phase === 'arguments' ? this.#phase : 'text'
      if (kind === 'arguments') this.#callText += text
      pieces.push({ kind, text, from: this.#from })
    }
    this.#drop(length)
  }

  #drop(length: number): void {
    this.#held = this.#held.slice(length)
    this.#from += length
  }
}

/** @returns the function that a message is for; the whole recipient when it is no function */
function recipientOf(header: string): string | null {
  const recipient = / to=([^\s<]+)/.exec(header)?.[1]
  if (recipient === undefined || recipient === 'assistant') return null
  return recipient.startsWith('functions.') ? recipient.slice('functions.'.length) : ''
}
