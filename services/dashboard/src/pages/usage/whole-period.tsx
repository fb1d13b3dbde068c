import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { openPeriodText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'

export interface WholePeriodProps {
  readonly usage: Pick<UsageAnswer, 'from' | 'to' | 'zone'>
}

/** Says beside a sum which period it is of. */
export function WholePeriod({ usage: { from, to, zone } }: WholePeriodProps) {
  return (
    <>
      <strong>{t('wholePeriod')}</strong>{' '}
      <span className="text-soft">{t('inPeriod', { period: openPeriodText(from, to), zone })}</span>
    </>
  )
}
