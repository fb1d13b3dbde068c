import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { expect, test } from 'vitest'
import { noteServerTime } from '../../api/server-clock.ts'
import { drawnRows, stepLabel, usedOf } from './usage-rows.ts'

const row = (day: string) => ({
  from: `${day}T00:00:00+01:00`,
  to: `${day}T23:59:59+01:00`,
  requests: 1,
  lines: [{ class: 'input' as const, tokens: 7, amount: '0.01' }],
  amount: '0.01',
})

function usageOf(by: UsageAnswer['by'], ...days: readonly string[]): UsageAnswer {
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
  }
}

test('days without use have a place, up to today', () => {
  noteServerTime('2026-11-05T12:00:00Z')
  const drawn = drawnRows(usageOf('day', '2026-11-02', '2026-11-04'))
  expect(drawn.map(({ from }) => from.slice(8, 10))).toEqual(['01', '02', '03', '04', '05'])
  expect(drawn.map((each) => usedOf(each, 'input').tokens)).toEqual([0, 7, 0, 7, 0])
})

test('a period that is over ends with its last day', () => {
  noteServerTime('2027-03-05T12:00:00Z')
  expect(drawnRows(usageOf('day', '2026-11-02'))).toHaveLength(30)
})

test('other steps are drawn as they are', () => {
  expect(drawnRows(usageOf('hour', '2026-11-02'))).toHaveLength(1)
})

test('an hour that comes twice is two rows of different names', () => {
  const hours = ['01:00:00+02:00', '02:00:00+02:00', '02:00:00+01:00', '03:00:00+01:00']
  const labels = hours.map((hour) =>
    stepLabel({ from: `2026-10-25T${hour}` }, { by: 'hour', zone: 'Europe/Berlin' }),
  )
  expect(labels).toEqual([
    ...['10-25 01:00', '10-25 02:00 GMT+02:00', '10-25 02:00 GMT+01:00', '10-25 03:00'],
  ])
})
