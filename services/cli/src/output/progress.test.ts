import { expect, test } from 'vitest'
import { passedOverText } from './progress.ts'

test('events of others are told only where there are any', () => {
  expect(`22 events${passedOverText(0)}`).toBe('22 events')
  expect(`22 events${passedOverText(100_000)}`).toBe('22 events, 100000 of others passed over')
})
