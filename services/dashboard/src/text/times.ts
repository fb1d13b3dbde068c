/** Times as people read them. */
import { t } from './translate.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const steps = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', SECOND_MS],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** The time zone of the reader, such as `Europe/Berlin`. */
export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** `3 minutes ago`. @param then and now in milliseconds since 1970 */
export function ago(then: number, now: number): string {
  const passed = Math.max(0, now - then)
  const [unit, length] = steps.find(([, ms]) => passed >= ms) ?? ['second', SECOND_MS]
  return passed < SECOND_MS ? t('justNow') : relative.format(-Math.floor(passed / length), unit)
}

const momentFormats = new Map<string, Intl.DateTimeFormat>()

/** `22 Nov 2026, 20:04:45`. @param zone default: that of the reader */
export function momentText(at: string, zone = ownZone): string {
  const style = { dateStyle: 'medium', timeStyle: 'medium' } as const
  return formatOf(momentFormats, zone, 'en-GB', style).format(new Date(at)) + whichOfTwo(at, zone)
}

/** Clocks are changed by less, and never twice within this time before and after. */
const AROUND_CHANGE_MS = 12 * HOUR_MS

/**
 * Behind a time that the clocks of a zone show twice, as on the night when they are set back an
 * hour, or half of one: which of the two it is, such as ` GMT+02:00`. Behind any other time
 * nothing.
 */
export function whichOfTwo(at: string, zone: string): string {
  const ms = Date.parse(at)
  const before = offsetText(ms - AROUND_CHANGE_MS, zone)
  const after = offsetText(ms + AROUND_CHANGE_MS, zone)
  if (before === after) return ''
  const setBackMs = offsetMs(before) - offsetMs(after)
  const shown = stepText(ms, zone)
  const isTwice = [ms - setBackMs, ms + setBackMs].some((other) => stepText(other, zone) === shown)
  return isTwice ? ` ${offsetText(ms, zone)}` : ''
}

const offsetFormats = new Map<string, Intl.DateTimeFormat>()

/** Such as `GMT+10:30`, or `GMT` alone. */
function offsetText(ms: number, zone: string): string {
  const format = formatOf(offsetFormats, zone, 'en-GB', { timeZoneName: 'longOffset' })
  return format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? ''
}

function offsetMs(text: string): number {
  const [, sign, hours = 0, minutes = 0] = /([+-])(\d\d):(\d\d)/.exec(text) ?? []
  const ms = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS
  return sign === '-' ? -ms : ms
}

const FIRST_MOMENT = /^(\d{4}-\d{2}-\d{2})T00:00:00/
const ofDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/**
 * A period as people name it: whole days by their dates, the last one included.
 *
 * @param from and to RFC 3339, in the zone whose days they are; `to` is not included
 */
export function periodEdges(from: string, to: string): { from: string; to: string } {
  const [, first] = FIRST_MOMENT.exec(from) ?? []
  const [, behind] = FIRST_MOMENT.exec(to) ?? []
  if (first === undefined || behind === undefined) {
    return { from: momentText(from), to: momentText(to) }
  }
  return { from: ofDay.format(Date.parse(first)), to: ofDay.format(Date.parse(behind) - DAY_MS) }
}

/** A period that may have no beginning or no end. @param from and to as of {@link periodEdges} */
export function openPeriodText(from: string | null, to: string | null): string {
  if (from !== null && to !== null) return t('periodBetween', periodEdges(from, to))
  if (from !== null) return t('periodSince', { from: periodEdges(from, from).from })
  return to === null ? t('allTime') : t('periodUntil', { to: periodEdges(to, to).to })
}

/** Formats are kept, because making one takes longer than writing a whole column with it. */
const stepFormats = new Map<string, Intl.DateTimeFormat>()

/** Such as `2026-11-20 10:15`. */
function stepText(at: string | number, zone: string): string {
  const format = formatOf(stepFormats, zone, 'sv-SE', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  return format.format(new Date(at))
}

function formatOf(
  formats: Map<string, Intl.DateTimeFormat>,
  zone: string,
  language: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat(language, { ...options, timeZone: zone })
  formats.set(zone, format)
  return format
}

/**
 * The month, the day or the hour of a moment, as rows of usage are named: `2026-11-20`.
 *
 * @param ms since 1970
 */
export function momentStep(
  ms: number,
  by: 'month' | 'day' | 'hour' | '15min',
  zone: string,
): string {
  const text = stepText(ms, zone)
  if (by === 'month') return text.slice(0, 'YYYY-MM'.length)
  if (by === 'day') return text.slice(0, 'YYYY-MM-DD'.length)
  const at = new Date(ms).toISOString()
  return `${text.slice(0, 'YYYY-MM-DD HH'.length)}:00${whichOfTwo(at, zone)}`
}

/** The day of a moment: `2026-11-20`. */
export function dayText(at: string, zone: string): string {
  return stepText(at, zone).slice(0, 'YYYY-MM-DD'.length)
}

/** A duration in milliseconds, such as `420 ms` or `1.3 s`. */
export function durationText(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`
  return `${(ms / SECOND_MS).toFixed(1)} s`
}

/** The format is made once, because making it takes longer than writing a whole column with it. */
const counts = new Intl.NumberFormat('en')

/** Whole numbers, such as `17,903`. */
export function countText(count: number): string {
  return counts.format(count)
}
