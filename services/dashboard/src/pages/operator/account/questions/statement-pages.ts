import type { StatementPage } from '@svc/contracts/admin/billing'
import { type InfiniteData, infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { askedPeriod } from '../../../../address/asked-period.ts'
import type { StatementSearch } from '../../../../address/search.ts'
import { callAdminAsOf, type WithAsOf } from '../../../../api/admin-pages.ts'
import type { ApiError } from '../../../../api/api-error.ts'

const PAGE = 100

type PageAsOf = WithAsOf<StatementPage>

/** What a statement asks for, page by page: it goes on behind the number of an entry. */
export function statementPages(accountId: string, search: StatementSearch) {
  const { order = 'newest' } = search
  const asked = { account_id: accountId, ...askedPeriod(search) }
  const list = infiniteQueryOptions<
    PageAsOf,
    ApiError,
    InfiniteData<PageAsOf>,
    readonly [string, string, unknown],
    number | undefined
  >({
    queryKey: ['admin', 'statement pages', { ...asked, order }],
    queryFn: ({ pageParam, signal }) => {
      const input = { ...asked, order, limit: PAGE }
      return callAdminAsOf(
        'statement',
        pageParam === undefined ? input : { ...input, after: pageParam },
        signal,
      )
    },
    initialPageParam: undefined,
    getNextPageParam: ({ more, rows }) => (more ? rows.at(-1)?.entry : undefined),
    placeholderData: keepPreviousData as never,
  })
  return { asked, order, list }
}
