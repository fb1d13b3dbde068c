import { askedPeriod } from '../address/asked-period.ts'
import type { Period } from '../address/search.ts'
import { serverNow } from '../api/server-clock.ts'
import { dayText } from '../text/times.ts'
import { t } from '../text/translate.ts'

/** Whoever names the last day of a period takes its figures for final: says where they are not. */
export function OpenPeriod({ period }: { readonly period: Period }) {
  const { to, zone } = askedPeriod(period)
  if (to === undefined || to <= dayText(new Date(serverNow()).toISOString(), zone)) return null
  return <p className="mt-3 text-sm text-soft">{t('periodNotOver')}</p>
}
