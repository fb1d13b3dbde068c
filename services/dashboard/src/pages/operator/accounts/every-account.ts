/** All accounts: their names are kept beside the log, so that only who reads them can search. */
import type { ListedAccount } from '@svc/contracts/admin/accounts'
import { queryOptions } from '@tanstack/react-query'
import { callAdmin } from '../../../api/admin.ts'
import type { ApiError } from '../../../api/api-error.ts'

const PAGE = 1_000
/** Beyond it the page would be slow; the command line has no such bound. */
const ACCOUNTS_MAX = 20_000
const FRESH_MS = 30_000

export interface EveryAccount {
  /** The oldest first. */
  readonly accounts: readonly ListedAccount[]
  /** Whether there are more than are shown. */
  readonly isCut: boolean
}

export const everyAccount = queryOptions<EveryAccount, ApiError>({
  queryKey: ['admin', 'every account'],
  queryFn: async ({ signal }) => {
    const accounts: ListedAccount[] = []
    for (;;) {
      const after = accounts.at(-1)?.account_id
      const input = after === undefined ? { limit: PAGE } : { limit: PAGE, after }
      const page = await callAdmin('listAccounts', input, signal)
      accounts.push(...page)
      if (page.length < PAGE) return { accounts, isCut: false }
      if (accounts.length >= ACCOUNTS_MAX) return { accounts, isCut: true }
    }
  },
  staleTime: FRESH_MS,
})
