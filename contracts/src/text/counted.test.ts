import { expect, test } from 'vitest'
import { counted } from './counted.ts'

test('one thing is one, and any other number of it are several', () => {
  const told = [0, 1, 2].map((count) => counted(count, 'account'))
  expect(told).toEqual(['0 accounts', '1 account', '2 accounts'])
})
