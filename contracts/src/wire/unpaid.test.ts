import { expect, test } from 'vitest'
import { unpaidOf } from './unpaid.ts'

test.each([
  ['0.000000000051', ['0.00000000005'], '0.000000000001'],
  ['0.05', [], '0.05'],
  ['0.05', ['0.02', '0.03'], null],
  ['0.00', [], null],
])('of %s, paid by %j, the rest is owed', (amount, paid, unpaid) => {
  const grants = paid.map((each, at) => ({ grant_id: `grant_${at}`, amount: each }))
  expect(unpaidOf({ amount, grants })).toBe(unpaid)
})
