import { keepPreviousData } from '@tanstack/react-query'
import type { RequestsSearch } from '../../../../address/search.ts'
import { askAdmin } from '../../../../api/admin.ts'
import { askAdminPages } from '../../../../api/admin-pages.ts'
import { askedRequests } from '../../../requests/requests-queries.ts'

const PAGE = 50

/** As the customer's list: page by page, and what all of its requests come to. */
export function requestPages(accountId: string, search: RequestsSearch) {
  const asked = askedRequests(accountId, search)
  return {
    asked,
    list: {
      ...askAdminPages('accountRequests', { ...asked, limit: PAGE }),
      placeholderData: keepPreviousData as never,
    },
    totals: askAdmin('accountRequestTotals', asked),
  }
}
