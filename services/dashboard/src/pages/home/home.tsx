import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ask } from '../../api/queries.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { useMayChangeKeys } from '../../layout/account-role.ts'
import { ownZone } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { CostChart } from '../usage/cost-chart.tsx'
import { BalanceCard } from './balance-card.tsx'
import { FirstSteps } from './first-steps.tsx'
import { LowBalance } from './low-balance.tsx'
import { NewestRequests } from './newest-requests.tsx'

/** How often the numbers are asked for while the page is open, in milliseconds. */
const REFRESH_MS = 5_000

/** What an account has, what it used this month, and what comes next. */
export function Home() {
  const accountId = useAccountId()
  const query = useQuery({
    ...ask('accountHome', { account_id: accountId, zone: ownZone }),
    refetchInterval: REFRESH_MS,
  })
  const newKey = useMayChangeKeys() && (
    <Link
      to="/accounts/$accountId/keys"
      params={{ accountId }}
      search={{ create: true }}
      className={buttonClass('main')}
    >
      {t('newKey')}
    </Link>
  )
  return (
    <Page title={t('home')} action={newKey}>
      <Answer query={query}>{(home) => <Numbers home={home} />}</Answer>
    </Page>
  )
}

function Numbers({ home }: { readonly home: DashboardOutput<'accountHome'> }) {
  const { month } = home
  const isClosed = home.status === 'closed'
  return (
    <>
      {!isClosed && <LowBalance available={home.balance.available} />}
      <BalanceCard home={home} />
      {month.data.length === 0 && !isClosed && <FirstSteps hasKey={home.keys.active > 0} />}
      {month.data.length > 0 && (
        <Card title={t('thisMonth', { zone: month.zone })}>
          <CostChart usage={month} />
        </Card>
      )}
      <NewestRequests accountId={home.account_id} />
    </>
  )
}
