/** The periods that are asked for most, by the days that they are today. */
import type { Period } from './search.ts'

/** `all` has no days. */
export const usualPeriods = ['all', 'sevenDays', 'thirtyDays', 'thisMonth', 'lastMonth'] as const

export type UsualPeriod = (typeof usualPeriods)[number]

type Days = Pick<Period, 'from' | 'to'>

const MONTH_CHARACTERS = 'YYYY-MM'.length
const DAY_CHARACTERS = 'YYYY-MM-DD'.length

/**
 * Its first and its last day, both included.
 *
 * @param today a day such as `2026-11-29`
 */
export function daysOf(usual: UsualPeriod, today: string): Days {
  switch (usual) {
    case 'all':
      return {}
    case 'sevenDays':
      return { from: daysBefore(today, 6), to: today }
    case 'thirtyDays':
      return { from: daysBefore(today, 29), to: today }
    case 'thisMonth':
      return { from: firstOfMonth(today), to: today }
    case 'lastMonth': {
      const to = daysBefore(firstOfMonth(today), 1)
      return { from: firstOfMonth(to), to }
    }
  }
}

/**
 * @param chosen is meant where several periods have these days, as on the seventh of a month
 * @returns undefined for other days
 */
export function usualPeriodOf(
  { from, to }: Days,
  today: string,
  chosen: UsualPeriod = 'all',
): UsualPeriod | undefined {
  return [chosen, ...usualPeriods].find((usual) => {
    const days = daysOf(usual, today)
    return days.from === from && days.to === to
  })
}

function firstOfMonth(day: string): string {
  return `${day.slice(0, MONTH_CHARACTERS)}-01`
}

function daysBefore(day: string, count: number): string {
  const at = new Date(day)
  at.setUTCDate(at.getUTCDate() - count)
  return at.toISOString().slice(0, DAY_CHARACTERS)
}
