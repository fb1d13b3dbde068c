import type { Period } from '../address/search.ts'
import { t } from '../text/translate.ts'
import { Field } from '../ui/field.tsx'

export interface PeriodFieldsProps {
  readonly period: Period
  readonly onChange: (period: Period) => void
}

/** Two days, both included, in the zone of the reader. */
export function PeriodFields({ period, onChange }: PeriodFieldsProps) {
  return (
    <>
      <Field
        label={t('from')}
        type="date"
        value={period.from ?? ''}
        onChange={({ target }) => onChange({ ...period, from: target.value })}
      />
      <Field
        label={t('to')}
        type="date"
        value={period.to ?? ''}
        onChange={({ target }) => onChange({ ...period, to: target.value })}
      />
    </>
  )
}
