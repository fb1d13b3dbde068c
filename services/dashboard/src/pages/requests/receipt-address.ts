import { useRouter } from '@tanstack/react-router'
import type { RequestsSearch } from '../../address/search.ts'
import { useAccountId } from '../../layout/account-id.ts'

/** Gives the address of a request's receipt, by the request's id. */
export type ReceiptAddress = (id: string) => string

/**
 * Opens receipts in the account whose pages are open, beside its requests.
 *
 * @param filters of the list that it stands beside
 */
export function useReceiptAddress(filters: RequestsSearch = {}): ReceiptAddress {
  const accountId = useAccountId()
  const { publicHref } = useRouter().buildLocation({
    to: '/accounts/$accountId/requests',
    params: { accountId },
    search: filters,
  })
  return receiptBeside(publicHref)
}

/** @param list the address of a list whose page shows receipts */
export function receiptBeside(list: string): ReceiptAddress {
  const lead = `${list}${list.includes('?') ? '&' : '?'}request=`
  return (id) => `${lead}${encodeURIComponent(id)}`
}
