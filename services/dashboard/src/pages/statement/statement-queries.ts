import { askedPeriod } from '../../address/asked-period.ts'
import type { Period } from '../../address/search.ts'
import { askPages } from '../../api/pages.ts'

const PAGE = 100

/** What a statement asks for, page by page. */
export function statementQueries(accountId: string, period: Period) {
  const asked = { account_id: accountId, ...askedPeriod(period) }
  return { asked, list: askPages('accountStatement', { ...asked, limit: PAGE }) }
}
