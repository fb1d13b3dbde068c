import type { UsageAnswer } from '@svc/contracts/wire/usage'
import type { InfiniteData } from '@tanstack/react-query'
import { askedPeriod } from '../../address/asked-period.ts'
import { given, type UsageSearch } from '../../address/search.ts'
import { askPages } from '../../api/pages.ts'
import { ask } from '../../api/queries.ts'

/** Steps of time that are drawn and listed at once. */
export const STEPS_MAX = 750

/**
 * What the charts ask for, and the table below them, page by page: the server gives fewer steps at
 * once than it is asked for where it has to look at very many keys.
 */
export function usageQueries(accountId: string, search: UsageSearch) {
  const { grouped, whole } = askedUsage(accountId, search)
  const { limit: _, ...asked } = grouped
  return {
    asked,
    whole: ask('usage', whole),
    grouped: { ...askPages('usage', grouped), ...groupedOptions(search) },
  }
}

/** What charts and table ask for, whoever looks at them. */
export function askedUsage(accountId: string, search: UsageSearch) {
  const { by = 'day', group } = search
  const whole = { account_id: accountId, ...askedPeriod(search), by, limit: STEPS_MAX }
  return { whole, grouped: { ...whole, ...given('group_by', group) } }
}

/** The table asks for nothing without a group. */
export function groupedOptions({ group }: UsageSearch) {
  return {
    enabled: group !== undefined,
    // Rows of each model are none of keys: they do not stay below that title.
    placeholderData: ((before?: InfiniteData<UsageAnswer>) =>
      group !== undefined && before?.pages[0]?.group_by.includes(group)
        ? before
        : undefined) as never,
  }
}
