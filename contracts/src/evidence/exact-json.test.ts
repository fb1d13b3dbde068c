import { expect, test } from 'vitest'
import { exactJson } from './exact-json.ts'

test('whole numbers and whole characters are what JSON.parse says', () => {
  const text = String.raw`{"svc":1,"of":[0, -12,9007199254740993,null,true],"\u0061":"ü\n\ud83d\ude00","":{}}`
  expect(exactJson(text)).toEqual(JSON.parse(text))
})

test.each(['1.0', '0.99999999999999999999', '1e0', '1E+2', '-0.0'])(
  '%s is no number of evidence',
  (number) => {
    for (const text of [`[${number}]`, `[3, ${number}]`, `[3,\t${number}]`]) {
      expect((exactJson(text) as unknown[]).at(-1)).toBeNaN()
    }
    expect(exactJson(`{"a":${number},"b":2}`)).toEqual({ a: Number.NaN, b: 2 })
  },
)

test('digits in a text are no numbers', () => {
  expect(exactJson('{"at":"12:5.5","of":-7}')).toEqual({ at: '12:5.5', of: -7 })
})

test.each([
  String.raw`["\ud800"]`,
  String.raw`["\uDFFF"]`,
  String.raw`["\udc00\ud800"]`,
  String.raw`["\ud800\ud800\udc00"]`,
  String.raw`["\\\ud800"]`,
  String.raw`["\ud83d\\\ude00"]`,
  String.raw`{"\udabc":1}`,
])('%s has half a character', (text) => {
  expect(exactJson(text)).toBeUndefined()
})

test.each([String.raw`["\ud83d\udE00"]`, String.raw`["\\ud800"]`, String.raw`["\\\\udfff"]`])(
  '%s has whole characters',
  (text) => {
    expect(exactJson(text)).toEqual(JSON.parse(text))
  },
)

test.each(['', '{', '[1.0', 'NaN', '[Infinity]'])('"%s" is no JSON', (text) => {
  expect(exactJson(text)).toBeUndefined()
})
