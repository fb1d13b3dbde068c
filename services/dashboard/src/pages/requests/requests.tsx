import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { RequestsSearch } from '../../address/search.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Settled } from '../../ui/drawing/settled.tsx'
import { Empty } from '../../ui/empty.tsx'
import { AsOf } from '../../ui/moment.tsx'
import { MoreRows } from '../../ui/more-rows.tsx'
import { Page } from '../../ui/page.tsx'
import { ExportLinks } from '../export-links.tsx'
import { useReceiptAddress } from './receipt-address.ts'
import { ReceiptPanel } from './receipt-panel.tsx'
import { RequestFilters } from './request-filters.tsx'
import { RequestTable } from './request-table.tsx'
import { requestsQueries } from './requests-queries.ts'

const route = getRouteApi('/signed-in/accounts/$accountId/requests')

/** Every request of the account, the newest first, and the receipt of one beside them. */
export function Requests() {
  const accountId = useAccountId()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const setSearch = (next: RequestsSearch) => navigate({ search: next })
  const { asked, list, ...queries } = requestsQueries(accountId, search)
  const query = useInfiniteQuery(list)
  // The first page is the oldest answer: all pages together are up to no more than it is.
  const first = query.data?.pages[0]
  const totals = useQuery(queries.totals)
  const { request, ...filters } = search
  const receiptAddress = useReceiptAddress(filters)
  const { zone: _, ...narrowing } = filters
  const isFiltered = Object.keys(narrowing).length > 0
  return (
    <Page title={t('requests')} action={<ExportLinks name="exportRequests" asked={asked} />}>
      <RequestFilters accountId={accountId} search={search} onChange={setSearch} />
      <Card>
        <Answer query={query}>
          {({ pages }) => (
            <Settled isOld={query.isPlaceholderData}>
              {() => {
                const rows = pages.flatMap(({ data }) => data)
                if (rows.length > 0) {
                  // Totals of other filters would be a wrong sum below these rows.
                  const own = totals.isPlaceholderData ? undefined : totals.data
                  return (
                    <RequestTable
                      list={JSON.stringify(asked)}
                      {...{ requests: rows, receiptAddress, totals: own }}
                    />
                  )
                }
                return isFiltered ? (
                  <Empty title={t('nothingFits')}>
                    <Button onClick={() => setSearch({})}>{t('clearFilters')}</Button>
                  </Empty>
                ) : (
                  <Empty title={t('noRequestsYet')} />
                )
              }}
            </Settled>
          )}
        </Answer>
        {first !== undefined && <AsOf asOf={first.as_of} />}
        <MoreRows query={query} />
      </Card>
      {request !== undefined && (
        <ReceiptPanel accountId={accountId} id={request} onClose={() => setSearch(filters)} />
      )}
    </Page>
  )
}
