import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { formatExact, parseDollars } from '@svc/contracts/money'
import { t } from '../../text/translate.ts'
import { Moment } from '../../ui/moment.tsx'
import { ExactMoney } from '../../ui/money.tsx'

export interface ExpiringCreditProps {
  /** A server that is older than the page leaves it undefined, whatever the declaration says. */
  readonly expiring: DashboardOutput<'accountHome'>['balance']['expiring'] | undefined
}

/** Which part of the balance ends, and when: the next first. */
export function ExpiringCredit({ expiring }: ExpiringCreditProps) {
  if (expiring === undefined || expiring.grants.length === 0) return null
  const { total, grants } = expiring
  const named = grants.reduce((sum, { remaining }) => sum + parseDollars(remaining), 0n)
  const later = parseDollars(total) - named
  return (
    <div className="mt-3 text-sm">
      <h3 className="text-soft">{t('expiringCredit')}</h3>
      <ul>
        {grants.map(({ grant_id: grantId, remaining, expires_at: at }) => (
          <li key={grantId}>
            <ExactMoney amount={remaining} /> {t('expiresAt')} <Moment at={at} />
          </li>
        ))}
        {later > 0n && (
          <li>
            <ExactMoney amount={formatExact(later)} /> {t('expiresLater')}
          </li>
        )}
      </ul>
    </div>
  )
}
