import { formatExact, parseDollars } from '@svc/contracts/money'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allSavings, savingsOf } from './savings.ts'

const row = (input: [number, string], cached: [number, string]) => ({
  lines: [
    { class: 'input' as const, tokens: input[0], amount: input[1] },
    { class: 'cached_input' as const, tokens: cached[0], amount: cached[1] },
  ],
})
const whole = { requests: 1, amount: '0.00', ...row([10, '0.0000015'], [0, '0.00']) }

test('cached tokens at the price of input, less what they were charged: UX-03, UX-07', () => {
  expect(savingsOf(row([86, '0.0000129'], [17_817, '0.000267255']), whole)).toEqual({
    cachedTokens: 17_817,
    asInput: '0.00267255',
    charged: '0.000267255',
    saved: '0.002405295',
  })
})

test('a row without input takes the price of the period', () => {
  expect(savingsOf(row([0, '0.00'], [100, '0.0000015']), whole).asInput).toBe('0.000015')
})

test('while one price holds, the savings are exact, and those of rows add up', () => {
  const counts = fc.array(fc.tuple(fc.nat(1_000_000), fc.nat(1_000_000)), { minLength: 1 })
  const rates = fc.tuple(fc.bigInt(1n, 10n ** 9n), fc.bigInt(0n, 10n ** 8n))
  fc.assert(
    fc.property(counts, rates, (used, [input, cached]) => {
      const rows = used.map(([some, others]) =>
        savingsOf(
          row(
            [some + 1, formatExact(BigInt(some + 1) * input)],
            [others, formatExact(BigInt(others) * cached)],
          ),
          whole,
        ),
      )
      const tokens = used.reduce((sum, [, others]) => sum + others, 0)
      const all = allSavings(rows)
      expect(all.cachedTokens).toBe(tokens)
      expect(parseDollars(all.saved)).toBe(BigInt(tokens) * (input - cached))
    }),
  )
})
