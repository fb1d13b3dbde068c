import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parsedWithDigits, textWithDigits, withDigits } from './written-digits.ts'

const again = (text: string) => textWithDigits(parsedWithDigits(text) as object)

test.each([
  '{"a":12345678901234567890,"b":[0.10000000000000000001,{"c":-1e-400}],"a b":1.0,"d":1e5}',
  '[9007199254740993,1,[2.50],"12345678901234567890",null,true]',
  '{"a":1e999}',
])('%s comes out as it went in', (text) => {
  expect(again(text)).toBe(text)
})

test('whatever has plain numbers is as JSON writes it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify({ value })
      expect(again(text)).toBe(text)
    }),
  )
})

test('a number that was changed since is written as it is now, wherever its object stands', () => {
  const value = parsedWithDigits('{"a":9007199254740993,"b":9007199254740993}') as { a: number }
  value.a = 7
  expect(textWithDigits({ in: [value] })).toBe('{"in":[{"a":7,"b":9007199254740993}]}')
})

test('kept in the value, the digits outlive copies', () => {
  const text = '{"a":9007199254740993,"b":[1e400],"c":[1]}'
  const value = withDigits(parsedWithDigits(text) as object)
  expect(JSON.stringify([{ ...value }])).toBe(`[${text}]`)
})

test('a value whose numbers are plain is itself', () => {
  const value = parsedWithDigits('{"a":[1,{"b":2.5}]}')
  expect(withDigits(value)).toBe(value)
})
