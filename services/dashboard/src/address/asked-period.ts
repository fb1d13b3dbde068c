/** The period of a page as the API is asked for it: from a day to before another, in a zone. */

import { openPeriodText, ownZone } from '../text/times.ts'
import { t } from '../text/translate.ts'
import type { Period } from './search.ts'

const DAY_MS = 86_400_000

export interface AskedPeriod {
  readonly zone: string
  readonly from?: string
  readonly to?: string
}

/** People include the last day; the API does not. */
export function askedPeriod({ from, to, zone = ownZone }: Period): AskedPeriod {
  return {
    zone,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to: dayAfter(to) }),
  }
}

/** The period as people name it, with its zone. */
export function periodText(period: Period): string {
  const { from, to, zone } = askedPeriod(period)
  return t('inPeriod', { period: openPeriodText(startOf(from), startOf(to)), zone })
}

function startOf(day: string | undefined): string | null {
  return day === undefined ? null : `${day}T00:00:00`
}

/** @param day such as `2026-12-31` */
export function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length)
}
