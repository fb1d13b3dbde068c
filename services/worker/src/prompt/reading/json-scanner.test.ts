import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonScanner } from './json-scanner.ts'

/** Scans pieces one after the other, as far as the value goes. */
function scan(pieces: readonly string[]) {
  const scanner = new JsonScanner()
  let length = 0
  for (const piece of pieces) {
    const scanned = scanner.scan(piece)
    length += scanned.length
    if (scanned.ended) return { length, ended: true }
  }
  return { length, ended: false }
}

const bit = fc.constantFrom(
  ...['{', '}', '[', ']', '"', '\\', ',', ':', ' ', '1', 'a', 'true', '<', 'é'],
)
const beginning = fc.constantFrom('{', '[', '"')

test('the end of a JSON value is found behind it, however it comes', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()), fc.string()),
      (value) => {
        const json = JSON.stringify(value)
        const ended = { length: json.length, ended: true }
        expect(scan([`${json}}, "more"`])).toEqual(ended)
        expect(scan([...`${json}}, "more"`.split('')])).toEqual(ended)
        expect(scan([json.slice(0, -1)])).toEqual({ length: json.length - 1, ended: false })
      },
    ),
  )
})

test('anything is cut at the same place, however it comes', () => {
  fc.assert(
    fc.property(beginning, fc.array(bit, { maxLength: 40 }), fc.nat(40), (first, bits, cut) => {
      const text = first + bits.join('')
      const whole = scan([text])
      expect(scan(text.split(''))).toEqual(whole)
      expect(scan([text.slice(0, cut), text.slice(cut)])).toEqual(whole)
    }),
  )
})

test.each([
  ['[1, <', 4],
  ['{"a": "<"}é', 10],
  ['"a\\"b"c', 6],
  ['[é', 1],
])('of %j the first %i characters are a value', (text, length) => {
  expect(scan([text])).toEqual({ length, ended: true })
})
