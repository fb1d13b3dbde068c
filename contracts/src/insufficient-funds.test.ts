import { expect, test } from 'vitest'
import { insufficientFundsText } from './insufficient-funds.ts'
import { parseDollars } from './money.ts'

const funds = (settled: string, available = settled) => ({
  settled: parseDollars(settled),
  available: parseDollars(available),
})

test.each([
  [
    '0.25',
    funds('0.10', '0.05'),
    'The balance does not cover it: the request needs up to $0.25, available is $0.05.',
  ],
  [
    '0.25',
    funds('-1.50'),
    'The balance does not cover it: the request needs up to $0.25, available is -$1.50.',
  ],
  [
    '0.00',
    funds('-1.50'),
    'The account owes $1.50: until that is paid, also what costs nothing is refused.',
  ],
  [
    '0.00',
    funds('0.00'),
    'The balance is $0.00: it must be above zero, also for what costs nothing.',
  ],
  [null, funds('-1.50'), 'The balance does not cover it: available is -$1.50.'],
])('of a need of %s it says what stands in the way', (needed, of, text) => {
  const amount = needed === null ? null : parseDollars(needed)
  expect(insufficientFundsText(amount, 'up to', of)).toBe(text)
})
