import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { given } from '../../address/search.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { t } from '../../text/translate.ts'
import { Page } from '../../ui/page.tsx'
import { ExportLinks } from '../export-links.tsx'
import { useReceiptAddress } from '../requests/receipt-address.ts'
import { PeriodStatement } from './period-statement.tsx'
import { statementQueries } from './statement-queries.ts'

const route = getRouteApi('/signed-in/accounts/$accountId/statement')

/** The customer's own statement. */
export function Statement() {
  const accountId = useAccountId()
  const { movement, ...search } = route.useSearch()
  const { order: asksFor, ...period } = search
  const navigate = route.useNavigate()
  const { asked, order, list } = statementQueries(accountId, search)
  return (
    <Page title={t('statement')} action={<ExportLinks name="exportStatement" asked={asked} />}>
      <PeriodStatement
        period={period}
        onPeriod={(next) => navigate({ search: { ...next, ...given('order', asksFor) } })}
        order={order}
        onOrder={(next) => navigate({ search: { ...period, order: next } })}
        asked={asked}
        query={useInfiniteQuery(list)}
        partOf={({ data, has_more: more, ...sums }) => ({ ...sums, entries: data, isWhole: !more })}
        receiptAddress={useReceiptAddress()}
        movement={movement}
      />
    </Page>
  )
}
