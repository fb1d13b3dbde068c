import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  dateOf,
  daysLater,
  endOfStep,
  monthIn,
  QUARTER_MS,
  readMoment,
  readZone,
  startOfDay,
  startOfStep,
  textIn,
  timeSteps,
  type Zone,
} from './zone.ts'

const HOUR_MS = 3_600_000
const zones = [
  'UTC',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/Los_Angeles',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'America/Havana',
  'Pacific/Chatham',
  '+05:30',
]

test.each([
  ['Europe/Berlin', '2026-03-29', 23],
  ['Europe/Berlin', '2026-10-25', 25],
  ['America/Los_Angeles', '2026-03-08', 23],
  ['America/Los_Angeles', '2026-11-01', 25],
  ['Australia/Lord_Howe', '2026-04-05', 24.5],
  ['America/Havana', '2026-03-08', 23],
  ['Asia/Kathmandu', '2026-11-01', 24],
])('in %s, %s has %d hours, and its hours fill it', (name, date, hours) => {
  const zone = readZone(name)
  const start = startOfDay(date, zone)
  const end = endOfStep(start, zone, 'day')
  expect((end - start) / HOUR_MS).toBe(hours)
  expect(end).toBe(startOfDay(daysLater(date, 1), zone))
  let hour = start
  while (hour < end) hour = endOfStep(hour, zone, 'hour')
  expect(hour).toBe(end)
})

test('steps of every kind follow each other on quarters of an hour, in every zone', () => {
  const time = fc.integer({ min: Date.UTC(2010, 0, 1), max: Date.UTC(2036, 0, 1) })
  fc.assert(
    fc.property(
      time,
      fc.constantFrom(...zones),
      fc.constantFrom(...timeSteps),
      (ms, name, step) => {
        const zone = readZone(name)
        const end = endOfStep(ms, zone, step)
        expect(end).toBeGreaterThan(ms)
        expect(end % QUARTER_MS).toBe(0)
        expect(startOfStep(ms, zone, step)).toBeLessThanOrEqual(ms)
        expect(startOfStep(end, zone, step)).toBeLessThanOrEqual(end)
        // The moment before the end is in the same step, and the end in the next one.
        expect(endOfStep(end - 1, zone, step)).toBe(end)
        expect(Date.parse(textIn(end, zone))).toBe(end)
        if (step === 'day') expect(dateOf(end - 1, zone)).toBe(dateOf(ms, zone))
      },
    ),
  )
})

test('a month begins with its first day and ends with that of the next, in every zone', () => {
  for (const name of zones) {
    const zone = readZone(name)
    const { from, to } = monthIn('2026-10', zone)
    expect(from).toBe(startOfDay('2026-10-01', zone))
    expect(to).toBe(startOfDay('2026-11-01', zone))
  }
})

describe('refused are', () => {
  test.each(['Mars/Phobos', '', 'Berlin', '+25:00', 'UTC; DROP TABLE'])('the zone "%s"', (name) => {
    expect(() => readZone(name)).toThrow(`there is no time zone "${name}"`)
  })
  test.each(['2026-13', '2026', '26-10', 'October'])('the month "%s"', (month) => {
    expect(() => monthIn(month, readZone('UTC'))).toThrow('is no month')
  })
  test.each(['2026-02-30', 'yesterday'])('the day "%s"', (date) => {
    expect(() => startOfDay(date, readZone('UTC'))).toThrow('is no day')
  })
  test.each([
    '2026-02-30',
    '2026-06-31T12:00:00Z',
    '2026-11-01T25:00:00Z',
    '2026-11-01T12:00:00',
    '2026-11-01T12:00:00[Europe/Berlin]',
    'soon',
  ])('the time "%s"', (text) => {
    expect(() => readMoment(text)).toThrow(`"${text}" is no time`)
  })
})

describe('a time that RFC 3339 has no year for is refused', () => {
  const [utc, east, west] = ['UTC', '+14:00', '-12:00'].map(readZone) as [Zone, Zone, Zone]
  const beyond = 'reaches beyond the years 0000 to 9999'

  test.each([
    ['9999-12-31T23:59:59-00:01', utc],
    ['9999-12-31T10:00:00Z', east],
    ['0000-01-01T00:00:00+00:01', utc],
    ['0000-01-01T11:59:59Z', west],
  ])('%s in %s', (text, zone) => {
    expect(() => readMoment(text, zone)).toThrow(beyond)
  })
  test.each([
    ['9999-12', utc],
    ['9999-12', east],
    ['9999-12', west],
    ['0000-01', east],
  ])('the month %s in %s', (month, zone) => {
    expect(() => monthIn(month, zone)).toThrow(beyond)
  })
  test('the day 0000-01-01 in the east', () => {
    expect(() => startOfDay('0000-01-01', east)).toThrow(beyond)
  })

  test('and the last ones before it are taken, and told', () => {
    expect(textIn(readMoment('9999-12-31T23:59:59Z'), utc)).toBe('9999-12-31T23:59:59Z')
    expect(textIn(startOfDay('9999-12-31', west), west)).toBe('9999-12-31T00:00:00-12:00')
    expect(textIn(monthIn('9999-11', east).to, east)).toBe('9999-12-01T00:00:00+14:00')
    expect(textIn(monthIn('0000-01', west).from, west)).toBe('0000-01-01T00:00:00-12:00')
  })
})

test.each([
  ['2026-11-01', Date.UTC(2026, 10, 1)],
  ['2028-02-29', Date.UTC(2028, 1, 29)],
  ['2026-11-01T12:30Z', Date.UTC(2026, 10, 1, 12, 30)],
  ['2026-11-01T12:30:15.250+05:30', Date.UTC(2026, 10, 1, 7, 0, 15, 250)],
])('%s is a moment', (text, timeMs) => {
  expect(readMoment(text)).toBe(timeMs)
})

test('a zone is named as usual, however it was written', () => {
  expect(readZone('europe/berlin')).toBe('Europe/Berlin')
  expect(textIn(0, readZone('UTC'))).toBe('1970-01-01T00:00:00Z')
  expect(textIn(0, readZone('Asia/Kathmandu'))).toBe('1970-01-01T05:30:00+05:30')
})
