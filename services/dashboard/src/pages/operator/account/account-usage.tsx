import type { AccountDetails } from '@svc/contracts/admin/accounts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { UsageSearch } from '../../../address/search.ts'
import { PeriodUsage } from '../../usage/period-usage.tsx'
import { usageQuestions } from './questions/usage-questions.ts'

export interface AccountUsageProps {
  readonly account: AccountDetails
  readonly search: UsageSearch
  readonly onChange: (search: UsageSearch) => void
}

/**
 * What the account used, as the operator sees it. How long its requests took is not read for it:
 * each page of them that an operator reads is an event of the log.
 */
export function AccountUsage({ account, search, onChange }: AccountUsageProps) {
  const { account_id: accountId, keys } = account
  const { whole, grouped } = usageQuestions(accountId, search)
  return (
    <PeriodUsage
      accountId={accountId}
      search={search}
      onChange={onChange}
      whole={useQuery(whole)}
      grouped={useInfiniteQuery(grouped)}
      keys={keys}
      latencyOf={undefined}
    />
  )
}
