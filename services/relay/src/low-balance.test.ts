/** UX-17: a low balance is told once for each crossing, and by the event that crosses. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lowBalanceAfter } from './low-balance.ts'

const BELOW = 1_000_000_000_000n

const told = (type: string, amount: bigint, balanceAfter: bigint) =>
  lowBalanceAfter(type, { amount: `${amount}`, balanceAfter: `${balanceAfter}` }, BELOW)

test.each([
  ['down to it', 'CreditDebited', 5n, BELOW, undefined],
  ['below it', 'CreditDebited', 5n, BELOW - 1n, '0.999999999999'],
  ['below it, into debt', 'CreditDebited', 2n * BELOW, -BELOW, '-1.00'],
  ['further down', 'CreditDebited', 5n, BELOW - 6n, undefined],
  ['by an expiry', 'CreditExpired', BELOW, 0n, '0.00'],
  ['by a void', 'GrantVoided', BELOW, 0n, '0.00'],
  ['by an adjustment down', 'BalanceAdjusted', -BELOW, 0n, '0.00'],
  ['up, but not over it', 'BalanceAdjusted', 5n, BELOW - 1n, undefined],
  ['by credit', 'CreditGranted', 5n, 5n, undefined],
] as const)('%s: %s', (_, type, amount, after, expected) => {
  expect(told(type, amount, after)).toBe(expected)
})

test('whatever moves a balance, it is told once on each way down', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt(-3n * BELOW, 3n * BELOW)), (moves) => {
      let balance = 0n
      let wasLow = true
      let ways = 0
      let times = 0
      for (const move of moves) {
        balance += move
        if (balance < BELOW && !wasLow) ways += 1
        wasLow = balance < BELOW
        if (told('BalanceAdjusted', move, balance) !== undefined) times += 1
      }
      expect(times).toBe(ways)
    }),
  )
})
