import { expect, test } from 'vitest'
import { withoutLast } from './text-end.ts'

test.each([
  ['100', '0', '1'],
  ['000', '0', ''],
  ['', '0', ''],
  ['a\n\nb\n\n', '\n', 'a\n\nb'],
])('of %j all the last %j', (text, character, rest) => {
  expect(withoutLast(text, character)).toBe(rest)
})

test('a run that something else ends is passed over once', () => {
  const text = `${'0'.repeat(4_000_000)}1`
  expect(withoutLast(text, '0')).toBe(text)
})
