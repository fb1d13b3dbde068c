import type { OperationOutput } from '@svc/contracts/admin/operations'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { UsageSearch } from '../../../../address/search.ts'
import { askAdminPages, callAdminAsOf, type WithAsOf } from '../../../../api/admin-pages.ts'
import type { ApiError } from '../../../../api/api-error.ts'
import { askedUsage, groupedOptions } from '../../../usage/usage-queries.ts'

/** As the customer's page asks, and says what the answer is up to. */
export function usageQuestions(accountId: string, search: UsageSearch) {
  const { whole, grouped } = askedUsage(accountId, search)
  return {
    whole: queryOptions<WithAsOf<OperationOutput<'accountUsage'>>, ApiError>({
      queryKey: ['admin', 'accountUsage', whole],
      queryFn: ({ signal }) => callAdminAsOf('accountUsage', whole, signal),
      placeholderData: keepPreviousData as never,
    }),
    grouped: { ...askAdminPages('accountUsage', grouped), ...groupedOptions(search) },
  }
}
