/** Accounts page by page: those of an order, or those that have a text in their name. */
import type { ListedAccount } from '@svc/contracts/admin/accounts'
import { type InfiniteData, infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import type { AccountsSearch } from '../../../address/operator-search.ts'
import { given } from '../../../address/search.ts'
import { callAdmin } from '../../../api/admin.ts'
import type { ApiError } from '../../../api/api-error.ts'

const PAGE = 50

interface AccountPage {
  readonly accounts: readonly ListedAccount[]
  /** Where the next page begins; undefined behind the last one. */
  readonly next: string | undefined
}

/** The server looks through the names: a browser would need every account for it. */
export function accountPages(search: AccountsSearch) {
  return infiniteQueryOptions<
    AccountPage,
    ApiError,
    InfiniteData<AccountPage>,
    readonly [string, string, AccountsSearch],
    string | undefined
  >({
    queryKey: ['admin', 'account pages', search],
    queryFn: ({ pageParam, signal }) =>
      search.find === undefined
        ? pageInOrder(search, pageParam, signal)
        : pageCalled(search.find, search, pageParam, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData as never,
  })
}

async function pageInOrder(
  { status, order = 'newest' }: AccountsSearch,
  after: string | undefined,
  signal: AbortSignal,
): Promise<AccountPage> {
  const input = { limit: PAGE, order, ...given('status', status), ...given('after', after) }
  const accounts = await callAdmin('listAccounts', input, signal)
  return { accounts, next: accounts.length < PAGE ? undefined : accounts.at(-1)?.account_id }
}

/** A page of the server's may be empty while there is more: it looks at a part of all at once. */
async function pageCalled(
  text: string,
  { status }: AccountsSearch,
  from: string | undefined,
  signal: AbortSignal,
): Promise<AccountPage> {
  for (let next = from; ; ) {
    const input = { text, limit: PAGE, ...given('status', status), ...given('cursor', next) }
    const { accounts, next_cursor: cursor } = await callAdmin('searchAccounts', input, signal)
    next = cursor ?? undefined
    if (accounts.length > 0 || next === undefined) return { accounts, next }
  }
}
