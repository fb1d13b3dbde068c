import type { StatementPage } from '@svc/contracts/admin/billing'
import { type InfiniteData, infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { callAdmin } from '../../../api/admin.ts'
import type { ApiError } from '../../../api/api-error.ts'
import { Answer } from '../../../ui/answer.tsx'
import { MoreRows } from '../../../ui/more-rows.tsx'
import { StatementParts } from '../../statement/statement-parts.tsx'
import { useOpenedAccount } from './opened-account.ts'
import { OperatorReceipt } from './operator-receipt.tsx'
import { useOperatedReceiptAddress } from './receipt-address.ts'

const PAGE = 100

/** Every movement of the account, with the balance after it. */
export function AccountStatement() {
  const { accountId } = useOpenedAccount()
  const receiptAddress = useOperatedReceiptAddress()
  const query = useInfiniteQuery(statementOf(accountId))
  return (
    <>
      <Answer query={query}>
        {({ pages }) => (
          <StatementParts
            receiptAddress={receiptAddress}
            parts={pages.map(({ rows, more, ...sums }) => {
              return { ...sums, entries: rows, isWhole: !more }
            })}
          />
        )}
      </Answer>
      {query.hasNextPage && (
        <div className="mt-3">
          <MoreRows query={query} />
        </div>
      )}
      <OperatorReceipt />
    </>
  )
}

/** It goes on behind the number of an entry. */
function statementOf(accountId: string) {
  return infiniteQueryOptions<
    StatementPage,
    ApiError,
    InfiniteData<StatementPage>,
    readonly string[],
    number | undefined
  >({
    queryKey: ['admin', 'statement pages', accountId],
    queryFn: ({ pageParam, signal }) => {
      const input = { account_id: accountId, limit: PAGE }
      return callAdmin(
        'statement',
        pageParam === undefined ? input : { ...input, after: pageParam },
        signal,
      )
    },
    initialPageParam: undefined,
    getNextPageParam: ({ more, rows }) => (more ? rows.at(-1)?.entry : undefined),
  })
}
