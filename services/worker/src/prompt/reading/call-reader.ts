/**
 * Reads tool calls out of an answer that comes in pieces.
 *
 *     text ──opening──▶ head ──name, arguments begin──▶ arguments ──JSON ends──▶ tail
 *      ▲  ◀──no call──────┘   ▲                                                  │ │
 *      │                      └────────────────another call follows──────────────┘ │
 *      └─────────────white space is left out──── between ◀─────────────────────────┘
 *
 * The trade: what may become a call is held back (an opening, the white space before it, a head)
 * and given out as text when it is none; once a call was given out, all up to the end of its JSON
 * is its arguments, valid or not. So no text is lost and no call is taken back. A head that can
 * only be that of a call is no text: it is left out where the answer was cut off in it.
 */
import type { Piece, ReaderOptions, TextPiece } from './answer-reader.ts'
import {
  type CallSyntax,
  HEAD_CHARACTERS_MAX,
  TAIL_CHARACTERS_MAX,
  unfinishedMarker,
  whiteSpaceLength,
} from './call-syntax.ts'
import { JsonScanner } from './json-scanner.ts'

/** White space before a call that is taken for part of the syntax. */
const MARGIN_CHARACTERS_MAX = 64

type Phase = 'text' | 'head' | 'arguments' | 'tail' | 'between'

export class CallReader {
  readonly #syntax: CallSyntax
  readonly #callable: ReadonlySet<string>
  readonly #mustCall: boolean
  #phase: Phase = 'text'
  #held = ''
  /** The offset of the held text in what was fed, in UTF-16 units. */
  #from: number
  /** Whether nothing but white space was read. */
  #first = true
  /** UTF-16 units of white space and of the opening at the beginning of a head. */
  #margin = 0
  #opening = 0
  /** Whether a head is that of a call for certain. */
  #certain = false
  #scanner = new JsonScanner()
  /** What was read of the call and is not held any more. */
  #callText = ''

  /** @param from where the first text that is fed begins */
  constructor(
    syntax: CallSyntax,
    { callable, mustCall }: Pick<ReaderOptions, 'callable' | 'mustCall'>,
    from: number,
  ) {
    this.#syntax = syntax
    this.#callable = new Set(callable)
    this.#mustCall = mustCall
    this.#from = from
  }

  get inCall(): boolean {
    if (this.#phase === 'head') return this.#certain
    return this.#phase === 'arguments' || this.#phase === 'tail'
  }

  get callText(): string {
    if (!this.inCall) return ''
    return this.#callText + (this.#phase === 'head' ? this.#held.slice(this.#margin) : this.#held)
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
    const isText = this.#phase === 'text' || this.#phase === 'head'
    const isCall = this.#mustCall || this.inCall
    if (isText && !(cut && isCall)) this.#give(pieces, this.#held.length)
    this.#phase = 'text'
    this.#held = ''
    return pieces
  }

  /** @returns whether there may be more to do with the text at hand */
  #advance(pieces: Piece[]): boolean {
    switch (this.#phase) {
      case 'text':
        return this.#readText(pieces)
      case 'head':
        return this.#readHead(pieces)
      case 'arguments':
        return this.#readArguments(pieces)
      case 'tail':
        return this.#readTail()
      case 'between':
        return this.#skipSpace()
    }
  }

  #readText(pieces: Piece[]): boolean {
    const { openings, onlyFirst } = this.#syntax
    if (this.#callable.size === 0 || (onlyFirst && !this.#mayBeFirst())) {
      this.#first = false
      this.#give(pieces, this.#held.length)
      return false
    }
    const found = firstOf(this.#held, openings)
    const upTo = found?.at ?? this.#held.length - unfinishedMarker(this.#held, openings)
    const before = this.#held.slice(0, upTo)
    const margin = Math.min(before.length - before.trimEnd().length, MARGIN_CHARACTERS_MAX)
    this.#give(pieces, before.length - margin)
    if (found === undefined) return false
    this.#phase = 'head'
    this.#margin = margin
    this.#opening = found.length
    this.#callText = ''
    return true
  }

  /** Whether what is held can be a call at the very beginning. */
  #mayBeFirst(): boolean {
    const space = whiteSpaceLength(this.#held)
    if (!this.#first || space > MARGIN_CHARACTERS_MAX) return false
    const rest = this.#held.slice(space)
    return this.#syntax.openings.some((each) => each.startsWith(rest) || rest.startsWith(each))
  }

  #readHead(pieces: Piece[]): boolean {
    const start = this.#margin + this.#opening
    const text = this.#held.slice(start, start + HEAD_CHARACTERS_MAX)
    const head = this.#syntax.head(text, this.#callable)
    if (head.kind === 'more' && text.length < HEAD_CHARACTERS_MAX) {
      this.#certain = head.certain
      return false
    }
    if (head.kind !== 'call') {
      this.#phase = 'text'
      this.#give(pieces, start)
      return true
    }
    pieces.push({ kind: 'call', name: head.name })
    this.#callText += this.#held.slice(this.#margin, start + head.end)
    const from = this.#from + start
    this.#drop(start + head.end)
    this.#first = false
    if (head.arguments === null) {
      this.#phase = 'arguments'
      this.#scanner = new JsonScanner()
    } else {
      pieces.push({ kind: 'arguments', text: head.arguments, from })
      this.#phase = 'tail'
    }
    return true
  }

  #readArguments(pieces: Piece[]): boolean {
    const { length, ended } = this.#scanner.scan(this.#held)
    this.#callText += this.#held.slice(0, length)
    this.#piece(pieces, 'arguments', length)
    if (ended) this.#phase = 'tail'
    return ended
  }

  #readTail(): boolean {
    const text = this.#held.slice(0, TAIL_CHARACTERS_MAX)
    const tail = this.#syntax.tail(text)
    if (tail.kind === 'more') {
      if (text.length < TAIL_CHARACTERS_MAX) return false
      this.#phase = 'between'
      return true
    }
    this.#drop(tail.end)
    if (tail.kind === 'done') {
      this.#phase = 'between'
      return true
    }
    // What separates two calls is given out as text when the second one turns out to be none.
    this.#callText = ''
    this.#phase = 'head'
    this.#margin = 0
    this.#opening = tail.head - tail.end
    return true
  }

  #skipSpace(): boolean {
    this.#drop(whiteSpaceLength(this.#held))
    if (this.#held === '') return false
    this.#phase = 'text'
    return true
  }

  #give(pieces: Piece[], length: number): void {
    if (this.#held.slice(0, length).trim() !== '') this.#first = false
    this.#piece(pieces, 'text', length)
  }

  #piece(pieces: Piece[], kind: TextPiece['kind'], length: number): void {
    const text = this.#held.slice(0, length)
    if (text !== '') pieces.push({ kind, text, from: this.#from })
    this.#drop(length)
  }

  #drop(length: number): void {
    this.#held = this.#held.slice(length)
    this.#from += length
  }
}

function firstOf(
  text: string,
  markers: readonly string[],
): { readonly at: number; readonly length: number } | undefined {
  let best: { at: number; length: number } | undefined
  for (const marker of markers) {
    const at = text.indexOf(marker)
    if (at === -1) continue
    if (best === undefined || at < best.at) best = { at, length: marker.length }
  }
  return best
}
