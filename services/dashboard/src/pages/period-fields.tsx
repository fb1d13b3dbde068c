import { useEffect, useState } from 'react'
import type { Period } from '../address/search.ts'
import { ownZone } from '../text/times.ts'
import { t } from '../text/translate.ts'
import { Choice, Field } from '../ui/forms/field.tsx'

export interface PeriodFieldsProps {
  readonly period: Period
  readonly onChange: (period: Period) => void
}

/** The years of fewer digits are those that somebody types on the way to one of four. */
const FIRST_DAY = '1000-01-01'

/**
 * Two days, both included, and the zone whose days they are. The address names the zone as soon as
 * it names a day: whoever opens it elsewhere sees the same rows. Days in the wrong order, as they
 * are between two clicks, are told here and asked of nobody; nor is a year that is being typed.
 */
export function PeriodFields({ period, onChange }: PeriodFieldsProps) {
  const [typed, setTyped] = useState<Period>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: what changes the address is newer
  useEffect(() => setTyped(undefined), [period.from, period.to, period.zone])
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
  const zones = [...new Set([ownZone, 'UTC', zone])]
  return (
    <>
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

function isUnfinished({ from = '', to = '' }: Period): boolean {
  return [from, to].some((day) => day !== '' && day < FIRST_DAY)
}

function isBackwards(period: Period): boolean {
  const { from = '', to = '' } = period
  return !isUnfinished(period) && to !== '' && to < from
}
