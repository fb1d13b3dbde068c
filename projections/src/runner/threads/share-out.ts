/** Shares views out among threads, so that all are done at about the same time. */

/**
 * How much processor time a fold takes, in proportion: measured with 1,000 accounts. A view that is
 * not named here counts as the cheapest.
 */
const WEIGHTS: ReadonlyMap<string, number> = new Map([
  ['usage', 5],
  ['statement', 5],
  ['accounts', 4],
  ['evidence', 3],
  ['requests', 2],
])
const LEAST_WEIGHT = 2

/** @returns the names of each thread, at most `threads` of them and none empty */
export function shareOut(
  names: readonly string[],
  threads: number,
): readonly (readonly string[])[] {
  const count = Math.max(1, Math.min(threads, names.length))
  const shares = Array.from({ length: count }, () => ({ names: [] as string[], weight: 0 }))
  const weightOf = (name: string) => WEIGHTS.get(name) ?? LEAST_WEIGHT
  for (const name of names.toSorted((a, b) => weightOf(b) - weightOf(a))) {
    const lightest = shares.reduce((least, share) => (share.weight < least.weight ? share : least))
    lightest.names.push(name)
    lightest.weight += weightOf(name)
  }
  return shares.map((share) => share.names)
}
