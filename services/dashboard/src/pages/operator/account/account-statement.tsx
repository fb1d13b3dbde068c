import { useInfiniteQuery } from '@tanstack/react-query'
import { periodText } from '../../../address/asked-period.ts'
import { given, period as periodIn } from '../../../address/search.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Card } from '../../../ui/card.tsx'
import { Settled } from '../../../ui/drawing/settled.tsx'
import { AsOf } from '../../../ui/moment.tsx'
import { MoreRows } from '../../../ui/more-rows.tsx'
import { PeriodFields } from '../../period-fields.tsx'
import { StatementParts } from '../../statement/statement-parts.tsx'
import { useOpenedAccount } from './opened-account.ts'
import { OperatorReceipt } from './operator-receipt.tsx'
import { useOperatedReceiptAddress } from './receipt-address.ts'
import { StatementFiles } from './statement-files.tsx'
import { statementPages } from './statement-pages.ts'

/** Every movement of the account, with the balance after it. */
export function AccountStatement() {
  const { accountId, search, navigate } = useOpenedAccount()
  const period = periodIn({ ...search })
  const receiptAddress = useOperatedReceiptAddress()
  const { asked, list } = statementPages(accountId, period)
  const query = useInfiniteQuery(list)
  // The first page is the oldest answer: all pages together are up to no more than it is.
  const first = query.data?.pages[0]
  return (
    <>
      <div className="grid grid-cols-2 gap-3 md:grid-cols-4 print:hidden">
        <PeriodFields
          period={period}
          onChange={(next) => navigate({ search: { ...given('view', search.view), ...next } })}
        />
      </div>
      <Card
        title={<span className="inline-block first-letter:uppercase">{periodText(period)}</span>}
        action={<StatementFiles asked={asked} />}
      >
        <Answer query={query}>
          {({ pages }) => (
            <Settled isOld={query.isPlaceholderData}>
              {() => (
                <StatementParts
                  list={JSON.stringify(asked)}
                  receiptAddress={receiptAddress}
                  parts={pages.map(({ rows, more, ...sums }) => {
                    return { ...sums, entries: rows, isWhole: !more }
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
      <OperatorReceipt />
    </>
  )
}
