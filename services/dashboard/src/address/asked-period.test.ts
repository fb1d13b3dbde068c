import { expect, test } from 'vitest'
import { dayAfter } from './asked-period.ts'

test.each([
  ['2026-11-01', '2026-11-02'],
  ['2026-12-31', '2027-01-01'],
  ['2028-02-28', '2028-02-29'],
  ['2026-03-29', '2026-03-30'],
])('the day after %s is %s', (day, next) => {
  expect(dayAfter(day)).toBe(next)
})
