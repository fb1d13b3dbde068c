/**
 * Today, for templates that tell the model the date. It is passed in, so that a prompt depends on
 * nothing else than the request and the day: it changes once a day, at midnight UTC.
 */

/** The time of day in every template: a clock in a prompt would spoil each prefix every minute. */
const MIDNIGHT = { '%H': '00', '%M': '00', '%S': '00', '%I': '12', '%p': 'AM', '%%': '%' }

const monthNames = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' })
const dayNames = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' })
const ABBREVIATION_LETTERS = 3

/** @returns Python's `strftime` for the day, in English */
export function formatDay(day: Date, format: string): string {
  const [year = '', month = '', date = ''] = day.toISOString().slice(0, 10).split('-')
  const monthName = monthNames.format(day)
  const dayName = dayNames.format(day)
  const fields: Record<string, string> = {
    ...MIDNIGHT,
    '%Y': year,
    '%y': year.slice(-2),
    '%m': month,
    '%d': date,
    '%B': monthName,
    '%b': monthName.slice(0, ABBREVIATION_LETTERS),
    '%A': dayName,
    '%a': dayName.slice(0, ABBREVIATION_LETTERS),
    '%F': `${year}-${month}-${date}`,
  }
  return format.replace(/%[A-Za-z%]/g, (field) => fields[field] ?? field)
}
