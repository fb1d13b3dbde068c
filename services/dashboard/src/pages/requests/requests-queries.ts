import { askedPeriod } from '../../address/asked-period.ts'
import type { RequestsSearch } from '../../address/search.ts'
import { askPages } from '../../api/pages.ts'
import { ask } from '../../api/queries.ts'

const PAGE = 50

/** What a list under these filters asks for, whatever its page. */
export function askedRequests(accountId: string, search: RequestsSearch) {
  const { key: key_id, status, model, format } = search
  return { account_id: accountId, ...askedPeriod(search), key_id, status, model, format }
}

/** What the list asks for, page by page, and what all of its requests come to. */
export function requestsQueries(accountId: string, search: RequestsSearch) {
  const asked = askedRequests(accountId, search)
  return {
    asked,
    list: askPages('requests', { ...asked, limit: PAGE }),
    totals: ask('requestTotals', asked),
  }
}

/** Asks for a receipt. The receipt of another request does not stay while this one is asked for. */
export function receiptQuery(accountId: string, id: string) {
  const question = ask('receipt', { account_id: accountId, id })
  return { ...question, placeholderData: undefined as never }
}
