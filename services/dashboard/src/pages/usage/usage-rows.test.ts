import { expect, test } from 'vitest'
import { stepLabel } from './usage-rows.ts'

const period = { from: '2026-10-01T00:00:00+02:00', to: '2026-11-01T00:00:00+01:00' }

test('an hour that comes twice is two rows of different names', () => {
  const hours = ['01:00:00+02:00', '02:00:00+02:00', '02:00:00+01:00', '03:00:00+01:00']
  const labels = hours.map((hour) =>
    stepLabel({ from: `2026-10-25T${hour}` }, { ...period, by: 'hour', zone: 'Europe/Berlin' }),
  )
  expect(labels).toEqual([
    ...['10-25 01:00', '10-25 02:00 GMT+02:00', '10-25 02:00 GMT+01:00', '10-25 03:00'],
  ])
})
