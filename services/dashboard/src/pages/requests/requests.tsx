import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { askedPeriod } from '../../address/asked-period.ts'
import type { RequestsSearch } from '../../address/search.ts'
import { askPages } from '../../api/pages.ts'
import { ask } from '../../api/queries.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { AsOf } from '../../ui/moment.tsx'
import { MoreRows } from '../../ui/more-rows.tsx'
import { Page } from '../../ui/page.tsx'
import { ExportLinks } from '../export-links.tsx'
import { useReceiptAddress } from './receipt-address.ts'
import { ReceiptPanel } from './receipt-panel.tsx'
import { RequestFilters } from './request-filters.tsx'
import { RequestTable } from './request-table.tsx'

const PAGE = 50
const route = getRouteApi('/signed-in/accounts/$accountId/requests')

/** Every request of the account, the newest first, and the receipt of one beside them. */
export function Requests() {
  const accountId = useAccountId()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const setSearch = (next: RequestsSearch) => navigate({ search: next })
  const { key: key_id, status, model, format } = search
  const asked = { account_id: accountId, ...askedPeriod(search), key_id, status, model, format }
  const query = useInfiniteQuery(
    askPages('requests', {
      ...asked,
      limit: PAGE,
    }),
  )
  // Of all pages it is up to the least.
  const first = query.data?.pages[0]
  const totals = useQuery(ask('requestTotals', asked))
  const { request, ...filters } = search
  const receiptAddress = useReceiptAddress(filters)
  const { zone: _, ...narrowing } = filters
  const isFiltered = Object.keys(narrowing).length > 0
  return (
    <Page title={t('requests')} action={<ExportLinks name="exportRequests" asked={asked} />}>
      <RequestFilters accountId={accountId} search={search} onChange={setSearch} />
      <Card>
        <Answer query={query}>
          {({ pages }) => {
            const rows = pages.flatMap(({ data }) => data)
            if (rows.length > 0) {
              // Of other filters they would be a wrong sum below these rows.
              const own = totals.isPlaceholderData ? undefined : totals.data
              return <RequestTable requests={rows} receiptAddress={receiptAddress} totals={own} />
            }
            return isFiltered ? (
              <Empty title={t('nothingFits')}>
                <Button onClick={() => setSearch({})}>{t('clearFilters')}</Button>
              </Empty>
            ) : (
              <Empty title={t('noRequestsYet')} />
            )
          }}
        </Answer>
        {first !== undefined && <AsOf asOf={first.as_of} />}
        {query.hasNextPage && (
          <div className="mt-3">
            <MoreRows query={query} />
          </div>
        )}
      </Card>
      {request !== undefined && (
        <ReceiptPanel accountId={accountId} id={request} onClose={() => setSearch(filters)} />
      )}
    </Page>
  )
}
