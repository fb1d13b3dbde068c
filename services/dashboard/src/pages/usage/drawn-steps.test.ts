import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { expect, test } from 'vitest'
import { noteServerTime } from '../../api/server-clock.ts'
import { drawnSteps } from './drawn-steps.ts'
import { usedOf } from './usage-rows.ts'

const row = (day: string) => ({
  from: `${day}T00:00:00+01:00`,
  to: `${day}T23:59:59+01:00`,
  requests: 1,
  lines: [{ class: 'input' as const, tokens: 7, amount: '0.01' }],
  amount: '0.01',
})

function usageOf(
  by: UsageAnswer['by'],
  days: readonly string[],
  others: Partial<UsageAnswer> = {},
): UsageAnswer {
  return {
    object: 'usage',
    currency: 'USD',
    zone: 'Europe/Berlin',
    by,
    group_by: [],
    from: '2026-11-01T00:00:00+01:00',
    to: '2026-12-01T00:00:00+01:00',
    over: false,
    data: days.map(row),
    total: row('2026-11-01'),
    has_more: false,
    next_cursor: null,
    ...others,
  }
}

const stepsOf = (...asked: Parameters<typeof usageOf>) =>
  drawnSteps(usageOf(...asked)).map(({ step }) => step)

test('days without use have a place, up to today', () => {
  noteServerTime('2026-11-05T12:00:00Z')
  const drawn = drawnSteps(usageOf('day', ['2026-11-02', '2026-11-04']))
  expect(drawn.map(({ label }) => label)).toEqual(['11-01', '11-02', '11-03', '11-04', '11-05'])
  expect(drawn.map((each) => usedOf(each, 'input').tokens)).toEqual([0, 7, 0, 7, 0])
})

test('today is that of the zone', () => {
  noteServerTime('2026-11-05T23:30:00Z')
  expect(stepsOf('day', ['2026-11-02']).at(-1)).toBe('2026-11-06')
})

test('a period that is over ends with its last day', () => {
  noteServerTime('2027-03-05T12:00:00Z')
  expect(stepsOf('day', ['2026-11-02'])).toHaveLength(30)
})

test('so do hours and months', () => {
  noteServerTime('2026-11-02T12:30:00Z')
  const hours = stepsOf('hour', ['2026-11-02'])
  expect(hours).toHaveLength(24 + 14)
  expect([hours[0], hours[24], hours.at(-1)]).toEqual([
    ...['2026-11-01 00:00', '2026-11-02 00:00', '2026-11-02 13:00'],
  ])
  const from = '2026-08-01T00:00:00+02:00'
  noteServerTime('2027-01-20T12:00:00Z')
  expect(stepsOf('month', ['2026-09-01'], { from, to: '2027-02-01T00:00:00+01:00' })).toEqual([
    ...['2026-08', '2026-09', '2026-10', '2026-11', '2026-12', '2027-01'],
  ])
})

test('a night on which clocks are set back has each of its hours once', () => {
  noteServerTime('2026-11-05T12:00:00Z')
  const night = { from: '2026-10-25T00:00:00+02:00', to: '2026-10-26T00:00:00+01:00' }
  const hours = stepsOf('hour', [], night)
  expect(hours).toHaveLength(25)
  expect(hours.slice(1, 5)).toEqual([
    ...['2026-10-25 01:00', '2026-10-25 02:00 GMT+02:00', '2026-10-25 02:00 GMT+01:00'],
    '2026-10-25 03:00',
  ])
})

test('every day of two years is drawn, and named with its year', () => {
  noteServerTime('2026-11-30T12:00:00Z')
  const usage = usageOf('day', ['2025-01-02', '2026-11-30'], { from: '2025-01-01T00:00:00+01:00' })
  const drawn = drawnSteps(usage)
  expect(drawn).toHaveLength(365 + 334)
  expect([drawn[0]?.label, drawn.at(-1)?.label]).toEqual(['2025-01-01', '2026-11-30'])
})

test('a period that began long ago is drawn from its first use', () => {
  noteServerTime('2026-11-05T12:00:00Z')
  const from = '2001-01-01T00:00:00+01:00'
  expect(stepsOf('day', ['2026-11-01', '2026-11-03'], { from })).toEqual([
    ...['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05'],
  ])
  expect(stepsOf('day', ['2001-11-01', '2026-11-03'], { from })).toHaveLength(2)
})

test('behind the last row of an answer that is cut nothing is drawn', () => {
  noteServerTime('2026-11-05T12:00:00Z')
  expect(stepsOf('day', ['2026-11-01', '2026-11-03'], { has_more: true })).toHaveLength(3)
})
