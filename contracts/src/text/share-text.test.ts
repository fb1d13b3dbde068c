import { expect, test } from 'vitest'
import { shareText } from './share-text.ts'

test.each([
  [0, '0.0 %'],
  [2 / 3, '66.6 %'],
  [0.99999, '99.9 %'],
  [1, '100.0 %'],
])('a share of %f is %s', (share, text) => {
  expect(shareText(share)).toBe(text)
})
