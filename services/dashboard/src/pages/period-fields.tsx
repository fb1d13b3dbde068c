import { useState } from 'react'
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
 * it names a day: whoever opens it elsewhere sees the same rows. Days in the wrong order, as they
 * are between two clicks, are told here and asked of nobody.
 */
export function PeriodFields({ period, onChange }: PeriodFieldsProps) {
  const [refused, setRefused] = useState<Refused>()
  // What else changes the address, such as a step back, is newer than what was typed before it.
  const typed = refused !== undefined && isSame(refused.beside, period) ? refused.typed : undefined
  const shown = typed ?? period
  const { zone = ownZone } = shown
  const change = (part: Period) => {
    const next = { ...shown, zone, ...part }
    const { from = '', to = '' } = next
    const isBackwards = to !== '' && to < from
    setRefused(isBackwards ? { typed: next, beside: period } : undefined)
    if (!isBackwards) onChange(next)
  }
  const zones = [...new Set([ownZone, 'UTC', zone])]
  return (
    <>
      <Field
        label={t('from')}
        type="date"
        value={shown.from ?? ''}
        onChange={({ target }) => change({ from: target.value })}
      />
      <Field
        label={t('to')}
        type="date"
        value={shown.to ?? ''}
        problem={typed === undefined ? undefined : t('toBeforeFrom')}
        onChange={({ target }) => change({ to: target.value })}
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

interface Refused {
  readonly typed: Period
  /** The period that stood in the address then. */
  readonly beside: Period
}

function isSame(one: Period, other: Period): boolean {
  return one.from === other.from && one.to === other.to && one.zone === other.zone
}
