import { expect, test } from 'vitest'
import { momentText, openPeriodText, periodEdges } from './times.ts'

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

test('a period that has no edge says so: UX-05', () => {
  const edge = '2026-11-02T00:00:00+05:45'
  expect(openPeriodText(null, null)).toBe('all time')
  expect(openPeriodText(edge, null)).toBe('since 2 Nov 2026')
  expect(openPeriodText(null, edge)).toBe('up to 1 Nov 2026')
  expect(openPeriodText(edge, '2026-11-04T00:00:00+05:45')).toBe('2 Nov 2026 to 3 Nov 2026')
})

test('a moment is told in a zone: UX-05', () => {
  expect(momentText('2026-11-20T10:00:00Z', 'Asia/Kathmandu')).toBe('20 Nov 2026, 15:45:00')
})

test('a time that comes twice says which of the two it is: UX-05', () => {
  const texts = (...times: readonly string[]) => times.map((at) => momentText(at, 'Europe/Berlin'))
  expect(texts('2026-10-24T23:59:00Z', '2026-10-25T02:00:00Z')).toEqual([
    '25 Oct 2026, 01:59:00',
    '25 Oct 2026, 03:00:00',
  ])
  expect(texts('2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z')).toEqual([
    '25 Oct 2026, 02:30:00 GMT+02:00',
    '25 Oct 2026, 02:30:00 GMT+01:00',
  ])
})

test.each([
  ['Australia/Lord_Howe', '2026-04-04T14:45:00Z', 30, '5 Apr 2026, 01:45:00', '+11:00', '+10:30'],
  ['America/St_Johns', '2026-11-01T03:45:00Z', 60, '1 Nov 2026, 01:15:00', '-02:30', '-03:30'],
  ['Antarctica/Troll', '2026-10-24T23:30:00Z', 120, '25 Oct 2026, 01:30:00', '+02:00', '+00:00'],
])('a time that comes twice in %s says so, by how much clocks are set back: UX-05', (...given) => {
  const [zone, first, minutes, shown, before, after] = given
  const second = new Date(Date.parse(first) + minutes * 60_000).toISOString()
  expect(momentText(first, zone)).toBe(`${shown} GMT${before}`)
  expect(momentText(second, zone)).toBe(`${shown} GMT${after}`)
  const earlier = new Date(Date.parse(first) - minutes * 60_000).toISOString()
  const later = new Date(Date.parse(second) + minutes * 60_000).toISOString()
  for (const at of [earlier, later]) expect(momentText(at, zone)).not.toContain('GMT')
})

test('a time that clocks jump over is followed by nothing', () => {
  expect(momentText('2026-10-03T15:15:00Z', 'Australia/Lord_Howe')).toBe('4 Oct 2026, 01:45:00')
  expect(momentText('2026-10-03T15:45:00Z', 'Australia/Lord_Howe')).toBe('4 Oct 2026, 02:45:00')
})
