import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { askedPeriod } from '../../address/asked-period.ts'
import type { RequestsSearch } from '../../address/search.ts'
import { askPages } from '../../api/pages.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { ownZone } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { MoreRows } from '../../ui/more-rows.tsx'
import { Page } from '../../ui/page.tsx'
import { ExportLinks } from '../export-links.tsx'
import { useReceiptAddress } from './receipt-address.ts'
import { ReceiptPanel } from './receipt-panel.tsx'
import { RequestFilters } from './request-filters.tsx'
import { RequestTable } from './request-table.tsx'
import { RequestTotals } from './request-totals.tsx'

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
  const { request, ...filters } = search
  const receiptAddress = useReceiptAddress(filters)
  const isFiltered = Object.keys(filters).length > 0
  return (
    <Page title={t('requests')} action={<ExportLinks name="exportRequests" asked={asked} />}>
      <RequestFilters accountId={accountId} search={search} onChange={setSearch} />
      <Card>
        <Answer query={query}>
          {({ pages }) => {
            const rows = pages.flatMap(({ data }) => data)
            if (rows.length > 0) {
              return <RequestTable requests={rows} receiptAddress={receiptAddress} />
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
        <div className="mt-3 flex flex-wrap items-center gap-4">
          <MoreRows query={query} />
          <RequestTotals accountId={accountId} search={search} />
          <span className="text-sm text-soft">{t('zone', { zone: ownZone })}</span>
        </div>
      </Card>
      {request !== undefined && (
        <ReceiptPanel accountId={accountId} id={request} onClose={() => setSearch(filters)} />
      )}
    </Page>
  )
}
