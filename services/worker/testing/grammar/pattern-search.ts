/**
 * Whether a pattern is found in a text, as JavaScript's own engine says at each place of it.
 *
 * The engine is not left to look for the place itself: V8 14.6 (Node 26) begins too late where a
 * pattern ends with `$`, because it takes what may be half of a pair for one unit of the text, so
 * that `/[^a]$/u.test('😀')` is false. Sticky patterns are tried where they are told.
 */
export function patternSearch(pattern: string): { test: (text: string) => boolean } {
  const engine = new RegExp(pattern, 'uy')
  const isFoundAt = (text: string, place: number) => {
    engine.lastIndex = place
    return engine.test(text)
  }
  return { test: (text) => placesIn(text).some((place) => isFoundAt(text, place)) }
}

/** Before each character of a text, and behind the last. */
function placesIn(text: string): readonly number[] {
  let next = 0
  return [0, ...Array.from(text, (character) => (next += character.length))]
}
