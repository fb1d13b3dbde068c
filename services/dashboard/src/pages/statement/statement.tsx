import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { periodText } from '../../address/asked-period.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Card } from '../../ui/card.tsx'
import { Settled } from '../../ui/drawing/settled.tsx'
import { AsOf } from '../../ui/moment.tsx'
import { MoreRows } from '../../ui/more-rows.tsx'
import { Page } from '../../ui/page.tsx'
import { ExportLinks } from '../export-links.tsx'
import { PeriodFields } from '../period-fields.tsx'
import { useReceiptAddress } from '../requests/receipt-address.ts'
import { StatementParts } from './statement-parts.tsx'
import { statementQueries } from './statement-queries.ts'

const route = getRouteApi('/signed-in/accounts/$accountId/statement')

/** Every movement of the balance, with what it was before and after. */
export function Statement() {
  const accountId = useAccountId()
  const period = route.useSearch()
  const navigate = route.useNavigate()
  const receiptAddress = useReceiptAddress()
  const { asked, list } = statementQueries(accountId, period)
  const query = useInfiniteQuery(list)
  // The first page is the oldest answer: all pages together are up to no more than it is.
  const first = query.data?.pages[0]
  return (
    <Page title={t('statement')} action={<ExportLinks name="exportStatement" asked={asked} />}>
      <div className="grid grid-cols-2 gap-3 md:grid-cols-4 print:hidden">
        <PeriodFields period={period} onChange={(search) => navigate({ search })} />
      </div>
      <Card
        title={<span className="inline-block first-letter:uppercase">{periodText(period)}</span>}
      >
        <Answer query={query}>
          {({ pages }) => (
            <Settled isOld={query.isPlaceholderData}>
              {() => (
                <StatementParts
                  list={JSON.stringify(asked)}
                  receiptAddress={receiptAddress}
                  parts={pages.map(({ data, has_more: more, ...sums }) => {
                    return { ...sums, entries: data, isWhole: !more }
                  })}
                />
              )}
            </Settled>
          )}
        </Answer>
        {first !== undefined && <AsOf asOf={first.as_of} />}
        {query.hasNextPage && (
          <div className="mt-3">
            <MoreRows query={query} />
          </div>
        )}
      </Card>
    </Page>
  )
}
