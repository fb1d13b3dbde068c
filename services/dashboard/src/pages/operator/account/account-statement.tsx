import type { AccountDetails } from '@svc/contracts/admin/accounts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { given, period as periodIn } from '../../../address/search.ts'
import { PeriodStatement } from '../../statement/period-statement.tsx'
import { AccountFiles } from './account-files.tsx'
import { useOpenedAccount } from './opened-account.ts'
import { OperatorReceipt } from './operator-receipt.tsx'
import { statementPages } from './questions/statement-pages.ts'
import { useOperatedReceiptAddress } from './receipt-address.ts'

/** The statement of the account, as the operator sees it. */
export function AccountStatement({ account }: { readonly account: AccountDetails }) {
  const { accountId, search, navigate } = useOpenedAccount()
  const period = periodIn({ ...search })
  const { asked, order, list } = statementPages(accountId, search)
  const view = given('view', search.view)
  return (
    <>
      <PeriodStatement
        period={period}
        onPeriod={(next) =>
          navigate({ search: { ...view, ...next, ...given('order', search.order) } })
        }
        order={order}
        onOrder={(next) => navigate({ search: { ...view, ...period, order: next } })}
        asked={asked}
        query={useInfiniteQuery(list)}
        partOf={({ rows, more, ...sums }) => ({ ...sums, entries: rows, isWhole: !more })}
        receiptAddress={useOperatedReceiptAddress()}
        movement={search.movement}
        action={<AccountFiles name="exportStatement" asked={asked} />}
      />
      <OperatorReceipt grants={account.grants} />
    </>
  )
}
