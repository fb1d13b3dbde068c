import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rates, tokenCounts } from '../tests/arbitrary-events.ts'
import { costLines, costOf, priceVersion, worstCase } from './price.ts'

const stored = { version: 'price_1', input: '150000', cachedInput: '15000', output: '600000' }

describe('the cost of tokens', () => {
  test('is three lines, each price × tokens, that add up', () => {
    fc.assert(
      fc.property(rates, tokenCounts, (perToken, counts) => {
        const lines = costLines(perToken, counts)
        expect(lines.map((line) => line.class)).toEqual(['input', 'cached_input', 'output'])
        for (const { amount, price, tokens } of lines) expect(amount).toBe(price * BigInt(tokens))
        expect(lines.reduce((sum, { amount }) => sum + amount, 0n)).toBe(costOf(perToken, counts))
      }),
    )
  })

  test('of many requests is the cost of all their tokens, to the last digit', () => {
    fc.assert(
      fc.property(rates, fc.array(tokenCounts), (perToken, requests) => {
        const oneByOne = requests.reduce((sum, counts) => sum + costOf(perToken, counts), 0n)
        const total = (name: 'inputTokens' | 'cachedInputTokens' | 'outputTokens') =>
          requests.reduce((sum, counts) => sum + BigInt(counts[name]), 0n)
        expect(oneByOne).toBe(
          perToken.input * total('inputTokens') +
            perToken.cachedInput * total('cachedInputTokens') +
            perToken.output * total('outputTokens'),
        )
      }),
    )
  })

  test('is never more than the worst case that was held for it', () => {
    fc.assert(
      fc.property(rates, tokenCounts, fc.nat({ max: 1000 }), (perToken, counts, unused) => {
        const prompt = counts.inputTokens + counts.cachedInputTokens
        const held = worstCase(perToken, prompt, counts.outputTokens + unused)
        expect(costOf(perToken, counts) <= held).toBe(true)
      }),
    )
  })

  test('a million tokens at $0.15 per million cost $0.15', () => {
    const perToken = { input: 150_000n, cachedInput: 15_000n, output: 600_000n }
    const counts = { inputTokens: 1_000_000, cachedInputTokens: 0, outputTokens: 0 }
    expect(costOf(perToken, counts)).toBe(150_000_000_000n)
  })
})

describe('a stored price', () => {
  test('is read exactly', () => {
    expect(priceVersion.parse(stored)).toEqual({
      version: 'price_1',
      input: 150_000n,
      cachedInput: 15_000n,
      output: 600_000n,
    })
  })

  test('is never negative: a request cannot earn credit', () => {
    expect(priceVersion.safeParse({ ...stored, output: '-1' }).success).toBe(false)
  })

  test('never asks more for a cached token than for a computed one: the hold would not cover it', () => {
    expect(priceVersion.safeParse({ ...stored, cachedInput: '150001' }).success).toBe(false)
  })
})
