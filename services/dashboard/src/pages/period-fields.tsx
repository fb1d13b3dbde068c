import { useEffect, useState } from 'react'
import type { Period } from '../address/search.ts'
import { daysOf, type UsualPeriod, usualPeriodOf, usualPeriods } from '../address/usual-periods.ts'
import { serverNow } from '../api/server-clock.ts'
import { dayText, ownZone } from '../text/times.ts'
import { t } from '../text/translate.ts'
import { Choice, Field } from '../ui/forms/field.tsx'

export interface PeriodFieldsProps {
  readonly period: Period
  readonly onChange: (period: Period) => void
  /** What the page shows when no day is named. */
  readonly withoutDays: Extract<UsualPeriod, 'all' | 'thirtyDays'>
}

const names = {
  all: 'periodAll',
  sevenDays: 'periodSevenDays',
  thirtyDays: 'periodThirtyDays',
  thisMonth: 'periodThisMonth',
  lastMonth: 'periodLastMonth',
  others: 'periodOthers',
} as const

/** The years of fewer digits are those that somebody types on the way to one of four. */
const FIRST_DAY = '1000-01-01'

/**
 * One of the usual periods, or two days, both included, and the zone whose days they are. The
 * address names the zone as soon as it names a day: whoever opens it elsewhere sees the same rows.
 * Days in the wrong order, as they are between two clicks, are told here and asked of nobody; nor
 * is a year that is being typed.
 */
export function PeriodFields({ period, onChange, withoutDays }: PeriodFieldsProps) {
  const [typed, setTyped] = useState<Period>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: what changes the address is newer
  useEffect(() => setTyped(undefined), [period.from, period.to, period.zone])
  const [chosen, setChosen] = useState<UsualPeriod>()
  const shown = typed ?? period
  const { zone = ownZone } = shown
  const change = (part: Period) => {
    const next = { ...shown, zone, ...part }
    // The address follows a moment later: a field that showed it until then would forget the keys
    // that were pressed before.
    setTyped(next)
    if (!isUnfinished(next) && !isBackwards(next)) onChange(next)
  }
  const leave = () => {
    if (isUnfinished(shown)) setTyped(undefined)
  }
  const today = dayText(new Date(serverNow()).toISOString(), zone)
  const usual = usualPeriodOf(daysIn(shown), today, chosen) ?? 'others'
  const offered = usualPeriods.filter((each) => each !== 'all' || withoutDays === 'all')
  const zones = [...new Set([ownZone, 'UTC', zone])]
  return (
    <>
      <Choice
        label={t('period')}
        value={usual === 'all' ? withoutDays : usual}
        options={[...offered, ...(usual === 'others' ? ([usual] as const) : [])].map(
          (each) => [each, t(names[each])] as const,
        )}
        onChoose={(next) => {
          if (next === 'others') return
          setChosen(next)
          const days = next === withoutDays ? {} : daysOf(next, today)
          change({ from: '', to: '', ...days })
        }}
      />
      <Field
        label={t('from')}
        type="date"
        value={shown.from ?? ''}
        onChange={({ target }) => change({ from: target.value })}
        onBlur={leave}
      />
      <Field
        label={t('to')}
        type="date"
        value={shown.to ?? ''}
        problem={isBackwards(shown) ? t('toBeforeFrom') : undefined}
        onChange={({ target }) => change({ to: target.value })}
        onBlur={leave}
      />
      <Choice
        label={t('timeZone')}
        value={zone}
        options={zones.map((each) => [each, each] as const)}
        onChoose={(chosen) => change({ zone: chosen })}
      />
    </>
  )
}

/** A field without a day has an empty text. */
function daysIn({ from = '', to = '' }: Period): Period {
  return { ...(from !== '' && { from }), ...(to !== '' && { to }) }
}

function isUnfinished({ from = '', to = '' }: Period): boolean {
  return [from, to].some((day) => day !== '' && day < FIRST_DAY)
}

function isBackwards(period: Period): boolean {
  const { from = '', to = '' } = period
  return !isUnfinished(period) && to !== '' && to < from
}
