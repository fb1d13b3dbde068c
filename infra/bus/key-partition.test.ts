import { expect, test } from 'vitest'
import { isPowerOfTwo, keyPartition } from './key-partition.ts'

/** Partitions that the client for Java gives these keys, of 12. */
const golden = {
  acc1: 4,
  acc2: 1,
  ключ3: 8,
  '01ARZ3NDEKTSV4RRFFQ69G5FAV': 8,
  'account-77': 2,
  x: 10,
}

test('a key is in the partition where the client for Java puts it', () => {
  for (const [key, partition] of Object.entries(golden))
    expect(keyPartition(key, 12)).toBe(partition)
})

test('powers of two are told from other numbers', () => {
  expect([1, 2, 8, 1024].every(isPowerOfTwo)).toBe(true)
  expect([0, -2, 3, 12, 1.5, Number.NaN].some(isPowerOfTwo)).toBe(false)
})
