import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { given, usageSearch } from '../../../address/search.ts'
import { PeriodUsage } from '../../usage/period-usage.tsx'
import { useOpenedAccount } from './opened-account.ts'
import { usageQuestions } from './questions/usage-questions.ts'

/**
 * What the account used, as the operator sees it. How long its requests took is not read for it:
 * each page of them that an operator reads is an event of the log.
 */
export function AccountUsage() {
  const { accountId, search, navigate } = useOpenedAccount()
  const asked = usageSearch({ ...search })
  const { whole, grouped } = usageQuestions(accountId, asked)
  return (
    <PeriodUsage
      accountId={accountId}
      search={asked}
      onChange={(next) => navigate({ search: { ...given('view', search.view), ...next } })}
      whole={useQuery(whole)}
      grouped={useInfiniteQuery(grouped)}
      latencyOf={undefined}
    />
  )
}
