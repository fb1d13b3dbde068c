import { expect, test } from 'vitest'
import { lastThirtyDays } from './spent-lately.ts'

test.each([
  ['the first moment of a day', Date.UTC(2026, 10, 29)],
  ['the last moment of a day', Date.UTC(2026, 10, 29, 23, 59, 59, 999)],
])('at %s they are that day and the 29 before it', (_, nowMs) => {
  expect(lastThirtyDays(nowMs)).toEqual([Date.UTC(2026, 9, 31), Date.UTC(2026, 10, 30)])
})
