import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ExactNumber, exactValue, mayHoldLongNumber, parsedExactly } from './exact-number.ts'

const exact = (text: string) => exactValue(new ExactNumber(text))

test.each(['1234567890123456789', '-9007199254740993', '0.10000000000000000001', '1e999'])(
  '%s stays what it is',
  (text) => {
    const [parsed] = parsedExactly(`[${text}]`) as [unknown]
    expect(parsed).toBeInstanceOf(ExactNumber)
    expect(JSON.stringify({ at: [parsed] })).toBe(`{"at":[${text}]}`)
  },
)

test.each([
  ...['1.0', '2.50', '1e5', '100000000000000000000', '0.1', '-0', '-0.0', '1E+2', '5e-324'],
])('%s is a plain number', (text) => {
  expect(parsedExactly(text)).toBe(JSON.parse(text))
})

test.each([
  ['1', '1.0', '10e-1', '0.01E2', '1e0'],
  ['12345678901234567890', '1234567890123456789e1', '12345678901234567890.00'],
  ['0', '-0', '0.00', '0e7'],
])('%s and %s are equal', (first, ...others) => {
  expect(others.map(exact)).toEqual(others.map(() => exact(first)))
})

test('a number of millions of digits is read in the time of its digits', () => {
  const digits = `1${'0'.repeat(4_000_000)}1`
  expect(exact(digits)).toBe(`${digits}e0`)
  expect(exact(`${digits}000`)).toBe(`${digits}e3`)
})

test('neighbours differ, and only whole numbers are whole', () => {
  expect(exact('1234567890123456789')).not.toBe(exact('1234567890123456788'))
  expect(exact('-1')).not.toBe(exact('1'))
  expect(new ExactNumber('1234567890123456789.0').isWhole).toBe(true)
  expect(new ExactNumber('1.00000000000000000001').isWhole).toBe(false)
})

test.each(['"a"', '{"a": 1.5, "b": [-12, 123456789012345]}', '[0.1]'])(
  '%s is read at once',
  (text) => {
    expect(mayHoldLongNumber(text)).toBe(false)
  },
)

test('a number that JavaScript cannot hold is found wherever it stands', () => {
  const spaces = fc.constantFrom('', ' ', '\n\t')
  const digits = fc.bigInt({ min: 2n ** 53n, max: 10n ** 40n }).map((whole) => `${whole}1`)
  const number = fc.oneof(digits, fc.constantFrom('1e400', '0.1234567890123456789', '1E-999'))
  const places = [fc.constantFrom('', '-'), number, spaces] as const
  fc.assert(
    fc.property(...places, (sign, unsigned, space) => {
      const written = `${sign}${unsigned}`
      for (const text of [
        `${space}${written}`,
        `[${space}${written}]`,
        `{"a":${space}${written}}`,
      ]) {
        expect(mayHoldLongNumber(text)).toBe(true)
        expect(JSON.stringify(parsedExactly(text))).toBe(text.replaceAll(/\s/g, ''))
      }
    }),
  )
})

test('whatever JavaScript writes is read as JavaScript reads it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      expect(parsedExactly(text)).toEqual(JSON.parse(text))
    }),
  )
})
