import { expect, test } from 'vitest'
import { periodEdges } from './times.ts'

test('whole days are named by their dates, the last one included: UX-05', () => {
  expect(periodEdges('2026-11-01T00:00:00+01:00', '2026-12-01T00:00:00+01:00')).toEqual({
    from: '1 Nov 2026',
    to: '30 Nov 2026',
  })
  // The zone of the period counts, across a change of its clocks too.
  expect(periodEdges('2026-03-29T00:00:00+01:00', '2026-03-30T00:00:00+02:00')).toEqual({
    from: '29 Mar 2026',
    to: '29 Mar 2026',
  })
})

test('a period that ends in the middle of a day is named by its moments', () => {
  const { to } = periodEdges('2026-11-01T00:00:00+00:00', '2026-11-02T12:15:00+00:00')
  expect(to).toContain('12:15:00')
})
