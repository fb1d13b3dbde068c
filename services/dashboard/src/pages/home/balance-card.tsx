import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { openPeriodText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { Card, Figure, Figures } from '../../ui/card.tsx'
import { AsOf } from '../../ui/moment.tsx'
import { GlanceMoney } from '../../ui/money.tsx'
import { ExpiringCredit } from './expiring-credit.tsx'

/**
 * Available = settled − held, what of it expires, this month's use, and what all of it is up to.
 */
export function BalanceCard({ home }: { readonly home: DashboardOutput<'accountHome'> }) {
  const { balance, month } = home
  return (
    <Card title={t('balance')}>
      <Figures>
        <Figure name={t('available')}>
          <GlanceMoney amount={balance.available} />
        </Figure>
        <Figure name={t('settled')}>
          <GlanceMoney amount={balance.settled} />
        </Figure>
        <Figure name={t('held', { count: home.open_requests })}>
          <GlanceMoney amount={balance.held} />
        </Figure>
        <Figure
          name={t('usedIn', { period: openPeriodText(month.from, month.to), zone: month.zone })}
        >
          <GlanceMoney amount={month.total.amount} />
        </Figure>
      </Figures>
      <ExpiringCredit expiring={balance.expiring} />
      <AsOf asOf={home.as_of} isRefreshed />
    </Card>
  )
}
