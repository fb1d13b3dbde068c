import type { StatementPage } from '@svc/contracts/admin/billing'
import { type InfiniteData, infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { askedPeriod } from '../../../address/asked-period.ts'
import type { Period } from '../../../address/search.ts'
import { callAdmin } from '../../../api/admin.ts'
import type { ApiError } from '../../../api/api-error.ts'
import { serverNow } from '../../../api/server-clock.ts'

const PAGE = 100

/** What stood in the log when it was asked for is in it. */
type PageAsOf = StatementPage & {
  readonly as_of: { readonly position: string; readonly at: string }
}

/** What a statement asks for, page by page: it goes on behind the number of an entry. */
export function statementPages(accountId: string, period: Period) {
  const asked = { account_id: accountId, ...askedPeriod(period) }
  const list = infiniteQueryOptions<
    PageAsOf,
    ApiError,
    InfiniteData<PageAsOf>,
    readonly [string, string, unknown],
    number | undefined
  >({
    queryKey: ['admin', 'statement pages', asked],
    queryFn: async ({ pageParam, signal }) => {
      const at = new Date(serverNow()).toISOString()
      const input = { ...asked, limit: PAGE }
      const page = await callAdmin(
        'statement',
        pageParam === undefined ? input : { ...input, after: pageParam },
        signal,
      )
      return { ...page, as_of: { position: page.position, at } }
    },
    initialPageParam: undefined,
    getNextPageParam: ({ more, rows }) => (more ? rows.at(-1)?.entry : undefined),
    placeholderData: keepPreviousData as never,
  })
  return { asked, list }
}
