import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JsonLimits, strictJsonObject } from './strict-json.ts'

const read = (text: string, limits?: Partial<JsonLimits>) =>
  strictJsonObject(text, 'the text', limits)

test('any JSON object without duplicates is read as JSON.parse reads it', () => {
  const key = fc.string({ unit: 'grapheme' }).filter((name) => name !== '__proto__')
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.string({ unit: 'grapheme' }),
      fc.double({ noDefaultInfinity: true, noNaN: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('tree')),
      fc.dictionary(key, tie('tree')),
    ),
  }))
  fc.assert(
    fc.property(fc.dictionary(key, tree), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      expect(read(text)).toEqual(JSON.parse(text))
    }),
  )
})

test('a byte order mark in front is left out, and nowhere else', () => {
  expect(read('\ufeff {"a":"\ufeffb"}')).toEqual({ a: '\ufeffb' })
  for (const text of ['\ufeff', '\ufeff\ufeff{}', ' \ufeff{}', '{}\ufeff']) {
    expect(() => read(text)).toThrow(/it is not valid JSON/)
  }
})

test('any text is read or refused as invalid_json, never anything else', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    ':',
    ',',
    '1',
    '-',
    'e9',
    ' ',
    '\\u',
    'a',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      try {
        read(pieces.join(''))
      } catch (cause) {
        expect(cause).toMatchObject({ code: 'invalid_json' })
      }
    }),
  )
})

describe('a string', () => {
  test.each([
    ['with escaped quotes', '{"a\\"b":"c\\\\","d":1}', { 'a"b': 'c\\', d: 1 }],
    ['with a whole surrogate pair', '{"a":"\\ud83d\\ude00"}', { a: '😀' }],
    ['with braces in it', '{"a":"{[,:","b":[]}', { a: '{[,:', b: [] }],
    ['that looks like a key', '{"a":["a","a"],"b":{"a":1}}', { a: ['a', 'a'], b: { a: 1 } }],
  ])('%s is read', (_name, text, value) => {
    expect(read(text)).toEqual(value)
  })

  test('keys that are equal only once unescaped are duplicates', () => {
    expect(() => read('{"a":1,"\\u0061":2}')).toThrow('the key "a" is there twice')
  })
})

test('a long run of backslashes takes linear time', () => {
  const text = `{"a":"${'\\\\'.repeat(1_000_000)}"}`
  expect(read(text)).toEqual({ a: '\\'.repeat(1_000_000) })
})

test('too many keys are refused before they are noted', () => {
  const text = '{"a":1,"a":1,"b":1,"c":1}'
  expect(() => read(text, { keys: 3 })).toThrow('more than 3 keys')
  expect(() => read(text, { keys: 4 })).toThrow('the key "a" is there twice')
})

test('limits can be set', () => {
  const limits = { depth: 2, keys: 3, items: 2, allItems: 4 }
  const small = (text: string) => read(text, limits)
  expect(small('{"a":[1,2],"b":0,"c":0}')).toEqual({ a: [1, 2], b: 0, c: 0 })
  expect(() => small('{"a":[[1]]}')).toThrow('more than 2 levels')
  expect(() => small('{"a":1,"b":1,"c":1,"d":1}')).toThrow('more than 3 keys')
  expect(() => small('{"a":[1,2,3]}')).toThrow('more than 2 items')
  expect(small('{"a":[1,2],"b":[1,2]}')).toEqual({ a: [1, 2], b: [1, 2] })
  expect(() => small('{"a":[1,2],"b":[1,2],"c":[]}')).toThrow('more than 4 items together')
})
