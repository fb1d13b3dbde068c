import { expect, test } from 'vitest'
import { latenciesOf, onAxis } from './latencies.ts'

const request = (day: string, total: number | null, first: number | null = total) => ({
  created_at: `2026-11-${day}T10:00:00Z`,
  first_token_ms: first,
  total_ms: total,
})
const dayOf = (at: string) => at.slice('2026-'.length, '2026-11-20'.length)

test('the median and nineteen of twenty, of each step, the oldest first: UX-61', () => {
  const newest = Array.from({ length: 20 }, (_, index) => request('21', 20 - index, 1))
  const steps = latenciesOf([...newest, request('20', 500)], dayOf)
  expect(steps).toEqual([
    {
      step: '11-20',
      requests: 1,
      firstToken: { median: 500, slow: 500 },
      total: { median: 500, slow: 500 },
    },
    {
      step: '11-21',
      requests: 20,
      firstToken: { median: 1, slow: 1 },
      total: { median: 10, slow: 19 },
    },
  ])
})

test('requests without a figure count, and have none', () => {
  const [step] = latenciesOf([request('20', null), request('20', 7, null)], dayOf)
  expect(step).toMatchObject({ requests: 2, firstToken: { median: null }, total: { median: 7 } })
})

test('without requests there is no step', () => {
  expect(latenciesOf([], dayOf)).toEqual([])
})

test('an axis goes on where nothing was measured, and no step is left out of it', () => {
  const steps = latenciesOf([request('22', 7), request('20', 500)], dayOf)
  const shownOn = (axis: readonly string[]) =>
    onAxis(axis, steps).map(({ step, measured }) => [step, measured?.total.median ?? null])
  expect(shownOn(['11-19', '11-20', '11-21', '11-22'])).toEqual([
    ['11-19', null],
    ['11-20', 500],
    ['11-21', null],
    ['11-22', 7],
  ])
  expect(shownOn(['11-21'])).toEqual([
    ['11-20', 500],
    ['11-21', null],
    ['11-22', 7],
  ])
})
