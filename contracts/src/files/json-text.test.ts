import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonText } from './json-text.ts'

test('means what JSON.stringify means', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(jsonText(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('holds nothing that a terminal would obey', () => {
  const name = '\u001b[31m\u009b31m\u007f\u202e'
  expect(jsonText({ name })).toBe('{"name":"\\u001b[31m\\u009b31m\\u007f\\u202e"}')
})
