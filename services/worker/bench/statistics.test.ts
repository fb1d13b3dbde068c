import { Random } from '@svc/testing/random'
import { describe, expect, test } from 'vitest'
import { compareDistributions, median, quantile } from './statistics.ts'

describe('quantiles', () => {
  test('of some values', () => {
    expect(median([5, 1, 9])).toBe(5)
    expect(quantile([4, 3, 2, 1], 0.99)).toBe(4)
    expect(quantile([4, 3, 2, 1], 0)).toBe(1)
    expect(median([])).toBeNaN()
  })
})

describe('the comparison of two distributions', () => {
  const sample = (random: Random, shift: number, count = 300) =>
    Array.from({ length: count }, () => random.next() + shift)

  test('is that of the tables: D = 0.45 of 20 and 20 samples has p = 0.02 to 0.04', () => {
    const one = Array.from({ length: 20 }, (_, index) => index)
    const other = one.map((value) => value + 8.5)
    const { distance, pValue } = compareDistributions(one, other)
    expect(distance).toBeCloseTo(0.45)
    expect(pValue).toBeGreaterThan(0.02)
    expect(pValue).toBeLessThan(0.04)
  })

  test('tells apart what is apart', () => {
    const random = new Random(1)
    const { distance, pValue } = compareDistributions(sample(random, 0), sample(random, 2))
    expect(distance).toBe(1)
    expect(pValue).toBeLessThan(1e-50)
    expect(compareDistributions(sample(random, 0), sample(random, 0.2)).pValue).toBeLessThan(0.001)
  })

  test('finds a difference where there is none about as often as its p value says', () => {
    const random = new Random(2)
    const rounds = Array.from({ length: 400 }, () =>
      compareDistributions(sample(random, 0, 100), sample(random, 0, 100)),
    )
    const found = rounds.filter(({ pValue }) => pValue < 0.05).length
    expect(found).toBeGreaterThan(4)
    expect(found).toBeLessThan(40)
  })

  test('of equal samples is no difference', () => {
    const values = [1, 2, 2, 2, 3]
    expect(compareDistributions(values, values)).toEqual({ distance: 0, pValue: 1 })
  })
})
