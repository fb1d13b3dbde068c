import { useRouter } from '@tanstack/react-router'
import { type ReceiptAddress, receiptBeside } from '../../requests/receipt-address.ts'
import { useOpenedAccount } from './opened-account.ts'

/** Opens receipts in the account that an operator looks at, beside the list that is open. */
export function useOperatedReceiptAddress(): ReceiptAddress {
  const { accountId, search } = useOpenedAccount()
  const { request: _, ...list } = search
  const { publicHref } = useRouter().buildLocation({
    to: '/operator/accounts/$accountId',
    params: { accountId },
    search: list,
  })
  return receiptBeside(publicHref)
}
