import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ask } from '../../api/queries.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { t } from '../../text/translate.ts'
import { Page } from '../../ui/page.tsx'
import { ExportLinks } from '../export-links.tsx'
import { PeriodUsage } from './period-usage.tsx'
import { usageQueries } from './usage-queries.ts'

const route = getRouteApi('/signed-in/accounts/$accountId/usage')

/** What was used, when, and by what; the sums are those of the statement. */
export function Usage() {
  const accountId = useAccountId()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { asked, whole, grouped } = usageQueries(accountId, search)
  const { data: keys = [] } = useQuery({
    ...ask('listAccountKeys', { account_id: accountId }),
    enabled: search.group === 'key',
  })
  return (
    <Page title={t('usage')} action={<ExportLinks name="exportUsage" asked={asked} />}>
      <PeriodUsage
        accountId={accountId}
        search={search}
        onChange={(next) => navigate({ search: next })}
        whole={useQuery(whole)}
        grouped={useInfiniteQuery(grouped)}
        keys={keys}
        latencyOf={accountId}
      />
    </Page>
  )
}
