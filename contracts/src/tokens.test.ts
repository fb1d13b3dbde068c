import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTokenCount, tokenCount } from './tokens.ts'

test('a count of tokens is told by hand as the schema tells it', () => {
  const edges = fc.constantFrom(-1, -0, 0, 0.5, 1e9, 1e9 + 1, 2 ** 53, Number.NaN, Infinity)
  const number = fc.oneof(edges, fc.integer(), fc.double())
  fc.assert(
    fc.property(number, (value) => {
      expect(isTokenCount(value)).toBe(tokenCount.safeParse(value).success)
    }),
  )
})
