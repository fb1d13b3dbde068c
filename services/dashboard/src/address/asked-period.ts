/** The period of a page as the API is asked for it: from a day to before another, in a zone. */

import { ownZone } from '../text/times.ts'
import type { Period } from './search.ts'

const DAY_MS = 86_400_000

export interface AskedPeriod {
  readonly zone: string
  readonly from?: string
  readonly to?: string
}

/** People include the last day; the API does not. */
export function askedPeriod({ from, to }: Period): AskedPeriod {
  return {
    zone: ownZone,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to: dayAfter(to) }),
  }
}

/** @param day such as `2026-12-31` */
export function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length)
}
