/**
 * How a family writes tool calls, apart from how they are read in pieces (`call-reader.ts`): a head
 * up to the arguments, the arguments' JSON, and a tail.
 *
 *     opening ── head ──▶ arguments ── tail ──▶ next head … ──▶ text
 */

/** Longer heads are text. Arguments that come before the name are part of the head. */
export const HEAD_CHARACTERS_MAX = 16_384
export const TAIL_CHARACTERS_MAX = 1024
/** White space that is taken for a part of the syntax around thinking, or before arguments. */
export const SPACE_CHARACTERS_MAX = 1024

export type Head =
  /**
   * The head is not decided yet. `certain` says that it was meant as a call, whatever comes now.
   */
  | { readonly kind: 'more'; readonly certain: boolean }
  /** No call, or one that cannot be made: it is text. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'call'
      readonly name: string
      /** Arguments that came before the name or in another form, or null when they follow. */
      readonly arguments: string | null
      /** The offset of the arguments or, when they came already, of the tail. */
      readonly end: number
    }

export type Tail =
  | { readonly kind: 'more' }
  /** `end`: what of the text belonged to the call. */
  | { readonly kind: 'done'; readonly end: number }
  /** Another call follows, without an opening: from `end` to `head` there is what separates it. */
  | { readonly kind: 'next'; readonly end: number; readonly head: number }

export interface CallSyntax {
  readonly openings: readonly string[]
  /** Whether a call can only be the first thing in an answer. */
  readonly onlyFirst: boolean
  /** @param text what follows the opening, at most {@link HEAD_CHARACTERS_MAX} */
  head(text: string, callable: ReadonlySet<string>): Head
  /** @param text what follows the arguments, at most {@link TAIL_CHARACTERS_MAX} */
  tail(text: string): Tail
}

export const NO_CALL: Head = { kind: 'none' }
export const MORE_OF_CALL: Head = { kind: 'more', certain: true }
export const MORE_OF_TAIL: Tail = { kind: 'more' }

/** Whether a text is nothing but a beginning of the marker, which may come to its end yet. */
export function mayBecome(text: string, marker: string): boolean {
  return text.length < marker.length && marker.startsWith(text)
}

/** Length of the longest end of the text that is a beginning of one of the markers. */
export function unfinishedMarker(text: string, markers: readonly string[]): number {
  const longest = Math.max(0, ...markers.map((marker) => marker.length - 1))
  for (let length = Math.min(text.length, longest); length > 0; length -= 1) {
    const end = text.slice(-length)
    if (markers.some((marker) => marker.startsWith(end))) return length
  }
  return 0
}

/** UTF-16 units of white space at a place in the text. */
export function whiteSpaceLength(text: string, at = 0): number {
  const rest = text.slice(at)
  return rest.length - rest.trimStart().length
}
