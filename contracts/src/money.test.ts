import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  formatExact,
  formatGlance,
  formatPricePerMillion,
  parseDollars,
  parsePricePerMillion,
  picoDollars,
} from './money.ts'

/** These amounts are below 10¹⁸ dollars. */
const readableAmount = fc.bigInt({ min: -(10n ** 30n - 1n), max: 10n ** 30n - 1n })
/** These amounts are below 10¹⁷ dollars, so that they can be read also when rounded up. */
const largeAmount = fc.bigInt({ min: -(10n ** 29n), max: 10n ** 29n })
const smallAmount = fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n })
const anyAmount = fc.oneof(readableAmount, smallAmount)

const notAmounts = [
  '',
  ' 5',
  '5 ',
  '+5',
  '.5',
  '5.',
  '1e3',
  '1,000',
  '$5',
  '0x10',
  '--5',
  'NaN',
  'Infinity',
  '0.0000000000001',
  '1000000000000000000',
  '٥',
  '5\n',
]

describe('exact amounts', () => {
  test('reading what was written gives the same amount: UX-01', () => {
    fc.assert(fc.property(anyAmount, (x) => parseDollars(formatExact(x)) === x))
  })

  test('what is written is plain decimal text with two to twelve decimals', () => {
    fc.assert(
      fc.property(anyAmount, (x) => {
        expect(formatExact(x)).toMatch(/^-?(0|[1-9]\d*)\.\d{2,12}$/)
        expect(formatExact(x)).not.toMatch(/\.\d{2,}0$/)
      }),
    )
  })

  test.each([
    [5_000_000_000_000n, '5.00'],
    [12_300_000n, '0.0000123'],
    [-1_250_000_000_000n, '-1.25'],
    [1n, '0.000000000001'],
    [0n, '0.00'],
    [1_234_567_100_000_000_000n, '1234567.10'],
  ])('%s pico-dollars reads %s', (amount, text) => {
    expect(formatExact(amount)).toBe(text)
  })

  test('decimals beyond two are written without trailing zeros', () => {
    expect(formatExact(parseDollars('0.5'))).toBe('0.50')
    expect(formatExact(parseDollars('0.120000000000'))).toBe('0.12')
  })

  test.each(notAmounts)('%j is not an amount', (text) => {
    expect(() => parseDollars(text)).toThrow(RangeError)
  })

  test('an amount of 18 digits before the point is no more than that', () => {
    expect(parseDollars('999999999999999999')).toBe(999_999_999_999_999_999n * 10n ** 12n)
  })

  test('a refusal shows 64 characters of a text, and says that there are more', () => {
    const whole = 'x'.repeat(64)
    expect(() => parseDollars(whole)).toThrow(`"${whole}" is not`)
    expect(() => parseDollars(`${whole}y`)).toThrow(`"${whole}…" is not`)
  })

  test.each([
    ['999999999999999999.0000000000001', /too fine/],
    ['x1.5', /not an amount/],
    ['1.5x', /not an amount/],
    ['1000000000000000000', /too large.*18 digits before the point/],
    ['-99999999999999999999.5', /too large/],
    ['0.0000000000001', /too fine.*12 decimals/],
    ['five', /is not an amount in dollars, such as 5/],
    ['9'.repeat(10_000), /^"9{64}…" is too large/],
  ])('%.20s is refused, and the message says why', (text, why) => {
    expect(() => parseDollars(text)).toThrow(why)
  })
})

describe('amounts at a glance', () => {
  test('money never reads as none: UX-02', () => {
    fc.assert(
      fc.property(anyAmount, (x) => (x === 0n) === ['$0.00', '-$0.00'].includes(formatGlance(x))),
    )
  })

  test('what is shown is within half a cent of the amount', () => {
    fc.assert(
      fc.property(fc.oneof(largeAmount, smallAmount), (x) => {
        const shown = formatGlance(x)
        if (shown.includes('<') || shown.includes('>')) return
        const difference = parseDollars(shown.replace(/[≈$,]/g, '')) - x
        expect(difference <= 5_000_000_000n && difference >= -5_000_000_000n).toBe(true)
      }),
    )
  })

  test('what is not the exact amount says so', () => {
    fc.assert(
      fc.property(anyAmount, (x) => {
        const isExact = /^-?\$/.test(formatGlance(x))
        expect(isExact).toBe(x % 10_000_000_000n === 0n)
      }),
    )
  })

  test('a debt reads as its amount with a sign', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 5_000_000_000n, max: 10n ** 30n }), (x) => {
        expect(formatGlance(-x)).toBe(formatGlance(x).replace('$', '-$'))
      }),
    )
  })

  test.each([
    [0n, '$0.00'],
    [1n, '<$0.01'],
    [4_999_999_999n, '<$0.01'],
    [5_000_000_000n, '≈$0.01'],
    [-1n, '>-$0.01'],
    [-4_999_999_999n, '>-$0.01'],
    [-5_000_000_000n, '≈-$0.01'],
    [994_999_999_999n, '≈$0.99'],
    [995_000_000_000n, '≈$1.00'],
    [999_994_999_999_999_999n, '≈$999,995.00'],
    [1_234_567_890_000_000_000n, '$1,234,567.89'],
  ])('%s pico-dollars reads %s', (amount, text) => {
    expect(formatGlance(amount)).toBe(text)
  })
})

describe('list prices', () => {
  test('$0.15 per million tokens is 150,000 pico-dollars per token', () => {
    expect(parsePricePerMillion('0.15')).toBe(150_000n)
    expect(formatPricePerMillion(150_000n)).toBe('0.15')
  })

  test('the finest price is one pico-dollar per token', () => {
    expect(parsePricePerMillion('0.000001')).toBe(1n)
    expect(() => parsePricePerMillion('0.0000001')).toThrow(RangeError)
  })

  test('a price is zero or more, and a refusal says what a price is', () => {
    expect(parsePricePerMillion('0')).toBe(0n)
    expect(() => parsePricePerMillion('-0.15')).toThrow('"-0.15" is not a price in dollars per')
  })

  test('reading what was written gives the same price', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n - 1n }), (perToken) => {
        expect(parsePricePerMillion(formatPricePerMillion(perToken))).toBe(perToken)
      }),
    )
  })
})

describe('stored amounts', () => {
  test('are read back exactly', () => {
    fc.assert(fc.property(anyAmount, (x) => picoDollars.parse(x.toString()) === x))
  })

  test('any price × any count of tokens can be read back', () => {
    const highestPrice = 10n ** 24n - 1n
    const highestCount = 1_000_000_000n
    const amount = highestPrice * highestCount * 3n
    expect(picoDollars.parse(amount.toString())).toBe(amount)
  })

  test.each([5, 5n, '5.0', '', '1e3', '0x5', null])('%s is refused', (value) => {
    expect(picoDollars.safeParse(value).success).toBe(false)
  })
})
