/** What is made of many measurements. */

/** @returns NaN for no values */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** @param share from 0 to 1 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** To three decimals, or to three figures where that says more: for people. */
export function rounded(value: number): number {
  return Math.abs(value) < 1 ? Number(value.toPrecision(3)) : Math.round(value * 1000) / 1000
}

export interface Comparison {
  /** The largest distance between the two distributions: 0 for equal ones, 1 for disjoint ones. */
  readonly distance: number
  /** How likely samples of ONE distribution are to be at least so far apart. */
  readonly pValue: number
}

/**
 * The two-sample Kolmogorov–Smirnov test: do both samples come from one distribution?
 *
 * @see Press et al., Numerical Recipes, 3rd edition, 14.3.3; good from about 20 samples of each on
 */
export function compareDistributions(one: readonly number[], other: readonly number[]): Comparison {
  const first = one.toSorted((a, b) => a - b)
  const second = other.toSorted((a, b) => a - b)
  let distance = 0
  for (let i = 0, j = 0; i < first.length && j < second.length; ) {
    const value = Math.min(first[i] ?? 0, second[j] ?? 0)
    while (i < first.length && first[i] === value) i += 1
    while (j < second.length && second[j] === value) j += 1
    distance = Math.max(distance, Math.abs(i / first.length - j / second.length))
  }
  const root = Math.sqrt((first.length * second.length) / (first.length + second.length))
  return { distance, pValue: kolmogorovTail((root + 0.12 + 0.11 / root) * distance) }
}

/** Below this the series converges slowly, and the probability is 1 to twelve decimals. */
const CERTAIN_BELOW = 0.2
const SERIES_TERMS = 100

/** The probability that Kolmogorov's statistic is at least this. */
function kolmogorovTail(statistic: number): number {
  if (statistic < CERTAIN_BELOW) return 1
  let sum = 0
  for (let term = 1; term <= SERIES_TERMS; term += 1) {
    const sign = term % 2 === 1 ? 1 : -1
    sum += sign * Math.exp(-2 * (term * statistic) ** 2)
  }
  return Math.max(0, Math.min(1, 2 * sum))
}
