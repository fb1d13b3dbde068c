/** Marks that turn the direction of what follows, and that nobody sees. */
const TURNING_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** Letters that are written from right to left. */
const FROM_THE_RIGHT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
/** The first strong letter between them says the direction, and what is outside keeps its own. */
const FIRST_STRONG_ISOLATE = '\u2068'
const POP_ISOLATE = '\u2069'

/**
 * A name that somebody chose, for a sentence or a title: its direction ends with it. Where a name
 * has an element of its own, `GivenName` shows it as it is.
 */
export function isolated(name: string): string {
  const visible = name.replaceAll(TURNING_MARKS, '')
  return FROM_THE_RIGHT.test(visible) ? FIRST_STRONG_ISOLATE + visible + POP_ISOLATE : visible
}
