/** Which of the known names somebody may have meant. */

/** A name of this many letters may have one wrong letter more. */
const LETTERS_PER_MISTAKE = 4
const MISTAKES_MAX = 3

/** @returns the known name that differs by a slip of the fingers, if one does */
export function closestName(name: string, known: readonly string[]): string | undefined {
  const letters = Math.floor(name.length / LETTERS_PER_MISTAKE)
  const mistakesMax = Math.min(MISTAKES_MAX, Math.max(1, letters))
  const [best] = known
    .map((candidate) => ({ candidate, mistakes: mistakesBetween(name, candidate) }))
    .filter(({ mistakes }) => mistakes <= mistakesMax)
    .sort((one, other) => one.mistakes - other.mistakes)
  return best?.candidate
}

/**
 * Letters to add, to leave out, to change, or to swap with their neighbour, until one is the other
 * (the optimal string alignment distance).
 */
export function mistakesBetween(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= one.length; row++) {
    const line = [row]
    for (let column = 1; column <= other.length; column++) {
      const above = rows[row - 1] ?? []
      const isSame = one[row - 1] === other[column - 1]
      const changed = at(above, column - 1) + (isSame ? 0 : 1)
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const swapped = isSwapped ? at(rows[row - 2], column - 2) + 1 : Number.POSITIVE_INFINITY
      line.push(Math.min(at(above, column) + 1, at(line, column - 1) + 1, changed, swapped))
    }
    rows.push(line)
  }
  return at(rows.at(-1), other.length)
}

function at(row: readonly number[] | undefined, column: number): number {
  return row?.[column] ?? Number.POSITIVE_INFINITY
}
