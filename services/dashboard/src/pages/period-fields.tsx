import type { Period } from '../address/search.ts'
import { ownZone } from '../text/times.ts'
import { t } from '../text/translate.ts'
import { Choice, Field } from '../ui/field.tsx'

export interface PeriodFieldsProps {
  readonly period: Period
  readonly onChange: (period: Period) => void
}

/**
 * Two days, both included, and the zone whose days they are. The address names the zone as soon as
 * it names a day: whoever opens it elsewhere sees the same rows.
 */
export function PeriodFields({ period, onChange }: PeriodFieldsProps) {
  const { zone = ownZone } = period
  const zones = [...new Set([ownZone, 'UTC', zone])]
  return (
    <>
      <Field
        label={t('from')}
        type="date"
        value={period.from ?? ''}
        onChange={({ target }) => onChange({ ...period, zone, from: target.value })}
      />
      <Field
        label={t('to')}
        type="date"
        value={period.to ?? ''}
        onChange={({ target }) => onChange({ ...period, zone, to: target.value })}
      />
      <Choice
        label={t('timeZone')}
        value={zone}
        options={zones.map((each) => [each, each] as const)}
        onChoose={(chosen) => onChange({ ...period, zone: chosen })}
      />
    </>
  )
}
