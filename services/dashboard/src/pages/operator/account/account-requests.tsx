import type { AccountDetails } from '@svc/contracts/admin/accounts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { given, requestsSearch } from '../../../address/search.ts'
import { askAdmin } from '../../../api/admin.ts'
import { RequestList } from '../../requests/request-list.tsx'
import { t } from '../operator-text.ts'
import { AccountFiles } from './account-files.tsx'
import { useOpenedAccount } from './opened-account.ts'
import { OperatorReceipt } from './operator-receipt.tsx'
import { requestPages } from './questions/request-pages.ts'
import { useOperatedReceiptAddress } from './receipt-address.ts'

/** The requests of the account, as the operator sees them. */
export function AccountRequests({ account }: { readonly account: AccountDetails }) {
  const { accountId, search, navigate } = useOpenedAccount()
  const { request: _, ...filters } = requestsSearch({ ...search })
  const { asked, list, totals } = requestPages(accountId, filters)
  const { data: prices = [] } = useQuery(askAdmin('listPrices', {}))
  return (
    <>
      <RequestList
        search={filters}
        onChange={(next) => navigate({ search: { ...given('view', search.view), ...next } })}
        keys={account.keys}
        models={[...new Set(prices.map(({ model }) => model))]}
        asked={asked}
        query={useInfiniteQuery(list)}
        totals={useQuery(totals)}
        receiptAddress={useOperatedReceiptAddress()}
        empty={t('noRequestsOfAccount')}
        action={<AccountFiles name="exportRequests" asked={asked} />}
      />
      <OperatorReceipt grants={account.grants} />
    </>
  )
}
