import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatExact } from '../money.ts'
import { balanceAnswer, dollars } from './billing.ts'

test('every amount can be told exactly', () => {
  const amount = fc.bigInt({ min: -(10n ** 48n), max: 10n ** 48n })
  fc.assert(fc.property(amount, (pico) => dollars.parse(formatExact(pico)) === formatExact(pico)))
})

describe('what is no exact amount is refused', () => {
  test.each(['5', '5.0', '$5.00', '5,000.00', '1e3', '.50', 5, null])('%j', (value) => {
    expect(dollars.safeParse(value).success).toBe(false)
  })
})

test('a balance names its currency', () => {
  const amounts = { settled: '5.00', held: '0.00', available: '5.00' }
  const balance = { object: 'balance', ...amounts, expiring: { total: '0.00', grants: [] } }
  expect(balanceAnswer.safeParse(balance).success).toBe(false)
  expect(balanceAnswer.safeParse({ ...balance, currency: 'USD' }).success).toBe(true)
})
