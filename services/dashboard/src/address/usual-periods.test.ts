import { expect, test } from 'vitest'
import { daysOf, usualPeriodOf } from './usual-periods.ts'

test.each([
  ['all', '2026-11-29', undefined, undefined],
  ['sevenDays', '2026-11-29', '2026-11-23', '2026-11-29'],
  ['thirtyDays', '2026-11-29', '2026-10-31', '2026-11-29'],
  ['thirtyDays', '2028-03-01', '2028-02-01', '2028-03-01'],
  ['thisMonth', '2026-11-29', '2026-11-01', '2026-11-29'],
  ['lastMonth', '2026-11-29', '2026-10-01', '2026-10-31'],
  ['lastMonth', '2027-01-31', '2026-12-01', '2026-12-31'],
  ['lastMonth', '2028-03-31', '2028-02-01', '2028-02-29'],
] as const)('%s on %s is from %s to %s', (usual, today, from, to) => {
  expect(daysOf(usual, today)).toEqual(from === undefined ? {} : { from, to })
  expect(usualPeriodOf({ ...(from && { from, to }) }, today)).toBe(usual)
})

test('other days are none of them, nor is a period without an end', () => {
  expect(usualPeriodOf({ from: '2026-10-01', to: '2026-10-30' }, '2026-11-29')).toBeUndefined()
  expect(usualPeriodOf({ from: '2026-11-01' }, '2026-11-29')).toBeUndefined()
})

test('of two periods with the same days the one that was chosen is meant', () => {
  const days = { from: '2026-11-01', to: '2026-11-07' }
  expect(usualPeriodOf(days, '2026-11-07')).toBe('sevenDays')
  expect(usualPeriodOf(days, '2026-11-07', 'thisMonth')).toBe('thisMonth')
  expect(usualPeriodOf(days, '2026-11-07', 'lastMonth')).toBe('sevenDays')
})

test('on the first of a month the month is one day', () => {
  expect(daysOf('thisMonth', '2026-12-01')).toEqual({ from: '2026-12-01', to: '2026-12-01' })
})
