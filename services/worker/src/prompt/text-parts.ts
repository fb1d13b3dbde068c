/**
 * Cuts a long text into parts that are tokenised one after the other, so that nobody waits for all
 * of it.
 *
 * A part ends before a space between two letters, where tokenisers begin a word too: the tokens of
 * the parts are those of the whole text. Only in text without such a place, of a language without
 * spaces or of one character over and over, it ends anywhere, and what would be one token across
 * the cut may be two.
 */

/** UTF-16 units of a part: a few milliseconds of a tokeniser. */
export const PART_UNITS_MAX = 16 * 1024
/** How far back from there the end of a word is looked for. */
const WORD_UNITS_MAX = 2 * 1024
const LETTER = /\p{L}/u

/** @returns the parts in order, none of them empty */
export function* partsOf(text: string): Generator<string, void, void> {
  let from = 0
  while (text.length - from > PART_UNITS_MAX) {
    const to = endOfPart(text, from)
    yield text.slice(from, to)
    from = to
  }
  if (from < text.length) yield text.slice(from)
}

function endOfPart(text: string, from: number): number {
  const last = from + PART_UNITS_MAX
  for (let at = last; at > last - WORD_UNITS_MAX; at -= 1) {
    if (text[at] === ' ' && isLetter(text[at - 1]) && isLetter(text[at + 1])) return at
  }
  // Half a character would become the tokens of a replacement character.
  const unit = text.charCodeAt(last - 1)
  const isHalf = unit >= 0xd800 && unit <= 0xdbff
  return isHalf ? last - 1 : last
}

function isLetter(unit: string | undefined): boolean {
  return unit !== undefined && LETTER.test(unit)
}
