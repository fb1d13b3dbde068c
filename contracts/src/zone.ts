/**
 * Days, hours and months as people in a time zone count them. A day has 23 or 25 hours when the
 * clocks change, an hour of Nepal begins at a quarter of one of UTC: so no length of a day is ever
 * multiplied here, the calendar is asked for the next one.
 */

/** Quarters of an hour of UTC are the finest that usage is kept in. */
export const QUARTER_MS = 15 * 60 * 1000
/** Far more than any name of a zone has. */
export const ZONE_CHARACTERS_MAX = 100
const YEAR_MAX = 9_999
const MINUTE_MS = 60_000
const HOUR_MINUTES = 60

export const timeSteps = ['month', 'day', 'hour', '15min'] as const
export type TimeStep = (typeof timeSteps)[number]

/** A time zone that exists, under its usual name, such as `Europe/Berlin`, `+05:30` or `UTC`. */
export type Zone = string & { readonly zone: unique symbol }

/** @throws {RangeError} for a zone that does not exist */
export function readZone(name: string): Zone {
  try {
    return at(0, name).timeZoneId as Zone
  } catch {
    throw new RangeError(`there is no time zone "${name}": write one such as Europe/Berlin or UTC`)
  }
}

/**
 * The first moment of a day, in milliseconds since 1970. It is not midnight where the clocks change
 * then.
 *
 * @param date such as `2026-11-01`
 * @throws {RangeError} for a day that is in no calendar, or begins in a year of other than 4 digits
 */
export function startOfDay(date: string, zone: Zone): number {
  const day = orRefusal(`"${date}" is no day, such as 2026-11-01`, () =>
    Temporal.PlainDate.from(date),
  )
  return writable(day.toZonedDateTime(zone).epochMilliseconds, zone, date)
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

/**
 * A moment, in milliseconds since 1970. `Date.parse` takes days that are in no calendar: to it
 * 30 February is 2 March.
 *
 * @param text RFC 3339 with a zone, or a day, which begins at midnight in UTC
 * @param zone in which the moment is going to be told
 * @throws {RangeError} for a time that is none, or is in a year of other than 4 digits
 */
export function readMoment(text: string, zone?: Zone): number {
  const time = DAY.test(text) ? `${text}T00:00:00Z` : text
  const problem = `"${text}" is no time: write 2026-11-01 or 2026-11-01T00:00:00Z`
  if (!MOMENT.test(time)) throw new RangeError(problem)
  const moment = orRefusal(problem, () => Temporal.Instant.from(time))
  return writable(moment.epochMilliseconds, zone, text)
}

/** Whether {@link readMoment} takes it. */
export function isMoment(text: string): boolean {
  try {
    return Number.isFinite(readMoment(text))
  } catch {
    return false
  }
}

/** The day of a moment, such as `2026-11-01`. */
export function dateOf(timeMs: number, zone: Zone): string {
  return at(timeMs, zone).toPlainDate().toString()
}

/** The same day, that many days later. */
export function daysLater(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString()
}

export interface Period {
  /** Milliseconds since 1970, included. */
  readonly from: number
  /** The end, which is not included. */
  readonly to: number
}

/**
 * @param month such as `2026-10`
 * @throws {RangeError} for a month that is in no calendar, or not between years of 4 digits
 */
export function monthIn(month: string, zone: Zone): Period {
  const first = orRefusal(`"${month}" is no month, such as 2026-10`, () =>
    Temporal.PlainYearMonth.from(month).toPlainDate({ day: 1 }),
  )
  const edge = (date: Temporal.PlainDate): number =>
    writable(date.toZonedDateTime(zone).epochMilliseconds, zone, month)
  return { from: edge(first), to: edge(first.add({ months: 1 })) }
}

/** Gives where the step that holds a moment begins, in milliseconds since 1970. */
export function startOfStep(timeMs: number, zone: Zone, step: TimeStep): number {
  if (step === '15min') return Math.floor(timeMs / QUARTER_MS) * QUARTER_MS
  const moment = at(timeMs, zone)
  if (step === 'hour') return timeMs - (timeMs % MINUTE_MS) - moment.minute * MINUTE_MS
  const date = moment.toPlainDate()
  const first = step === 'day' ? date : date.with({ day: 1 })
  return first.toZonedDateTime(zone).epochMilliseconds
}

/** Gives where the step that holds a moment ends, in milliseconds since 1970. */
export function endOfStep(timeMs: number, zone: Zone, step: TimeStep): number {
  if (step === '15min') return (Math.floor(timeMs / QUARTER_MS) + 1) * QUARTER_MS
  const moment = at(timeMs, zone)
  if (step === 'hour') {
    const into = timeMs % MINUTE_MS
    return timeMs - into + (HOUR_MINUTES - moment.minute) * MINUTE_MS
  }
  const date = moment.toPlainDate()
  const next = step === 'day' ? date.add({ days: 1 }) : date.with({ day: 1 }).add({ months: 1 })
  return next.toZonedDateTime(zone).epochMilliseconds
}

/** RFC 3339, as clocks in the zone show it: `2026-11-01T00:00:00+05:30`. */
export function textIn(timeMs: number, zone: Zone): string {
  const text = at(timeMs, zone).toString({ timeZoneName: 'never' })
  return zone === 'UTC' ? text.replace('+00:00', 'Z') : text
}

/** RFC 3339 writes a year with four digits, in UTC as well as in the zone. */
function isWritable(timeMs: number, zone = 'UTC'): boolean {
  const years = [at(timeMs, 'UTC').year, at(timeMs, zone).year]
  return Math.min(...years) >= 0 && Math.max(...years) <= YEAR_MAX
}

function writable(timeMs: number, zone: Zone | undefined, text: string): number {
  if (isWritable(timeMs, zone)) return timeMs
  throw new RangeError(`"${text}" reaches beyond the years 0000 to ${YEAR_MAX}`)
}

function orRefusal<T>(problem: string, read: () => T): T {
  try {
    return read()
  } catch {
    throw new RangeError(problem)
  }
}

function at(timeMs: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(timeMs).toZonedDateTimeISO(zone)
}
