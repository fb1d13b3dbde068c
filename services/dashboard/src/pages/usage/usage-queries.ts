import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { askedPeriod } from '../../address/asked-period.ts'
import type { UsageSearch } from '../../address/search.ts'
import { ask } from '../../api/queries.ts'

/** Steps of time that are drawn and listed at once. */
export const STEPS_MAX = 750

/** What the charts ask for, and the table below them; undefined where rows are of no group. */
export function usageQueries(accountId: string, search: UsageSearch) {
  const { by = 'day', group } = search
  const asked = { account_id: accountId, ...askedPeriod(search), by }
  const page = { ...asked, limit: STEPS_MAX }
  return {
    asked: { ...asked, ...(group === undefined ? {} : { group_by: group }) },
    whole: ask('usage', page),
    grouped: {
      ...ask('usage', group === undefined ? page : { ...page, group_by: group }),
      // Rows of no key, or of each model, are none of keys: they do not stay below that title.
      placeholderData: ((before?: UsageAnswer) =>
        group !== undefined && before?.group_by.includes(group) ? before : undefined) as never,
    },
  }
}
