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
const precise = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'medium',
})

/** Of the reader, such as `Europe/Berlin`. */
export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** `3 minutes ago`. @param then and now in milliseconds since 1970 */
export function ago(then: number, now: number): string {
  const passed = Math.max(0, now - then)
  const [unit, length] = steps.find(([, ms]) => passed >= ms) ?? ['second', SECOND_MS]
  return passed < SECOND_MS ? t('justNow') : relative.format(-Math.floor(passed / length), unit)
}

/** `22 Nov 2026, 20:04:45` in the zone of the reader. */
export function momentText(at: string): string {
  return precise.format(new Date(at))
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

const ofZone = new Intl.DateTimeFormat('sv-SE', {
  timeZone: ownZone,
  ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
})

/** The month, the day or the hour of a moment, as rows of usage are named: `11-20`. */
export function momentStepText(at: string, by: 'month' | 'day' | 'hour' | '15min'): string {
  // Such as `2026-11-20 10:15`.
  const text = ofZone.format(new Date(at))
  if (by === 'month') return text.slice(0, 'YYYY-MM'.length)
  if (by === 'day') return text.slice('YYYY-'.length, 'YYYY-MM-DD'.length)
  return `${text.slice('YYYY-'.length, 'YYYY-MM-DD HH'.length)}:00`
}

/** The day of a moment in the zone of the reader: `2026-11-20`. */
export function dayText(at: string): string {
  return ofZone.format(new Date(at)).slice(0, 'YYYY-MM-DD'.length)
}

/** A duration in milliseconds, such as `420 ms` or `1.3 s`. */
export function durationText(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`
  return `${(ms / SECOND_MS).toFixed(1)} s`
}

/** Made once: to make one takes longer than to write a whole column with it. */
const counts = new Intl.NumberFormat('en')

/** Whole numbers, such as `17,903`. */
export function countText(count: number): string {
  return counts.format(count)
}
