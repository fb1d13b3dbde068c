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
  const { asked, list } = statementPages(accountId, period)
  return (
    <>
      <PeriodStatement
        period={period}
        onPeriod={(next) => navigate({ search: { ...given('view', search.view), ...next } })}
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
