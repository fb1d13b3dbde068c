import { expect, test } from 'vitest'
import { bytesText } from './amounts.ts'

test.each([
  [0, '0 B'],
  [1_023, '1023 B'],
  [1_024, '1 KiB'],
  [1_536, '1.5 KiB'],
  [536_870_912, '512 MiB'],
  [12_999_999, '12.4 MiB'],
  [2 ** 50, '1024 TiB'],
])('%i bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})
