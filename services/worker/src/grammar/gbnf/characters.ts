/** Sets of Unicode code points: sorted, disjoint, inclusive ranges. No set holds a surrogate. */
export type CharacterRange = readonly [first: number, last: number]
export type CharacterSet = readonly CharacterRange[]

const LAST_CODE_POINT = 0x10ffff

export const EVERY_CHARACTER: CharacterSet = [
  [0, 0xd7ff],
  [0xe000, LAST_CODE_POINT],
]

/** The set of these ranges, in whatever order they come and however they overlap. */
export function charactersOf(ranges: readonly CharacterRange[]): CharacterSet {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0])
  const merged: [number, number][] = []
  for (const [first, last] of sorted) {
    const previous = merged.at(-1)
    if (previous !== undefined && first <= previous[1] + 1) {
      previous[1] = Math.max(previous[1], last)
    } else {
      merged.push([first, last])
    }
  }
  return intersection(merged, EVERY_CHARACTER)
}

/** The set of the characters of a text. */
export function charactersIn(text: string): CharacterSet {
  return charactersOf(
    Array.from(text, (character) => {
      const code = character.codePointAt(0) ?? 0
      return [code, code] as const
    }),
  )
}

export function intersection(a: CharacterSet, b: CharacterSet): CharacterSet {
  const both: CharacterRange[] = []
  let other = 0
  for (const [first, last] of a) {
    while (other < b.length && (b[other]?.[1] ?? 0) < first) other += 1
    for (let index = other; index < b.length; index += 1) {
      const range = b[index]
      if (range === undefined || range[0] > last) break
      both.push([Math.max(first, range[0]), Math.min(last, range[1])])
    }
  }
  return both
}

/** Every character that is not in the set. */
export function complement(set: CharacterSet): CharacterSet {
  const outside: CharacterRange[] = []
  let next = 0
  for (const [first, last] of set) {
    if (first > next) outside.push([next, first - 1])
    next = last + 1
  }
  if (next <= LAST_CODE_POINT) outside.push([next, LAST_CODE_POINT])
  return intersection(outside, EVERY_CHARACTER)
}

export function hasCharacter(set: CharacterSet, code: number): boolean {
  return set.some(([first, last]) => first <= code && code <= last)
}

export function sameCharacters(a: CharacterSet, b: CharacterSet): boolean {
  return (
    a.length === b.length &&
    a.every(([first, last], index) => first === b[index]?.[0] && last === b[index]?.[1])
  )
}
