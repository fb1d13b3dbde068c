import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { RequestsSearch } from '../../address/search.ts'
import { ask } from '../../api/queries.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { t } from '../../text/translate.ts'
import { Page } from '../../ui/page.tsx'
import { ExportLinks } from '../export-links.tsx'
import { useReceiptAddress } from './receipt-address.ts'
import { ReceiptPanel } from './receipt-panel.tsx'
import { RequestList } from './request-list.tsx'
import { requestsQueries } from './requests-queries.ts'

const route = getRouteApi('/signed-in/accounts/$accountId/requests')

/** Every request of the account, the newest first, and the receipt of one beside them. */
export function Requests() {
  const accountId = useAccountId()
  const navigate = route.useNavigate()
  const setSearch = (next: RequestsSearch) => navigate({ search: next })
  const { request, ...filters } = route.useSearch()
  const { asked, list, totals } = requestsQueries(accountId, filters)
  const { data: keys = [] } = useQuery(ask('listAccountKeys', { account_id: accountId }))
  const { data: prices } = useQuery(ask('prices', { account_id: accountId }))
  return (
    <Page title={t('requests')} action={<ExportLinks name="exportRequests" asked={asked} />}>
      <RequestList
        search={filters}
        onChange={setSearch}
        keys={keys}
        models={prices?.data.map(({ model }) => model) ?? []}
        asked={asked}
        query={useInfiniteQuery(list)}
        totals={useQuery(totals)}
        receiptAddress={useReceiptAddress(filters)}
        empty={t('noRequestsYet')}
      />
      {request !== undefined && (
        <ReceiptPanel accountId={accountId} id={request} onClose={() => setSearch(filters)} />
      )}
    </Page>
  )
}
