import { askedPeriod } from '../../address/asked-period.ts'
import type { StatementSearch } from '../../address/search.ts'
import { askPages } from '../../api/pages.ts'

const PAGE = 100

/** What a statement asks for: its file, and page by page. */
export function statementQueries(accountId: string, search: StatementSearch) {
  const { order = 'newest' } = search
  const asked = { account_id: accountId, ...askedPeriod(search) }
  return { asked, order, list: askPages('accountStatement', { ...asked, order, limit: PAGE }) }
}
