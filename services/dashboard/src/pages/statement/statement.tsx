import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { askedPeriod } from '../../address/asked-period.ts'
import { askPages } from '../../api/pages.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { ownZone } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Card } from '../../ui/card.tsx'
import { MoreRows } from '../../ui/more-rows.tsx'
import { Page } from '../../ui/page.tsx'
import { ExportLinks } from '../export-links.tsx'
import { PeriodFields } from '../period-fields.tsx'
import { useReceiptAddress } from '../requests/receipt-address.ts'
import { StatementParts } from './statement-parts.tsx'

const PAGE = 100
const route = getRouteApi('/signed-in/accounts/$accountId/statement')

/** Every movement of the balance, with what it was before and after. */
export function Statement() {
  const accountId = useAccountId()
  const period = route.useSearch()
  const navigate = route.useNavigate()
  const receiptAddress = useReceiptAddress()
  const asked = { account_id: accountId, ...askedPeriod(period) }
  const query = useInfiniteQuery(askPages('accountStatement', { ...asked, limit: PAGE }))
  return (
    <Page title={t('statement')} action={<ExportLinks name="exportStatement" asked={asked} />}>
      <div className="grid grid-cols-2 gap-3 md:grid-cols-4 print:hidden">
        <PeriodFields period={period} onChange={(search) => navigate({ search })} />
      </div>
      <Card>
        <Answer query={query}>
          {({ pages }) => (
            <StatementParts
              receiptAddress={receiptAddress}
              parts={pages.map(({ data, has_more: more, ...sums }) => {
                return { ...sums, entries: data, isWhole: !more }
              })}
            />
          )}
        </Answer>
        <div className="mt-3 flex flex-wrap items-center gap-4">
          <MoreRows query={query} />
          <span className="text-sm text-soft">{t('zone', { zone: ownZone })}</span>
        </div>
      </Card>
    </Page>
  )
}
