import { Link } from '@tanstack/react-router'
import type { ReceiptLinkProps } from '../../requests/request-table.tsx'
import { useOpenedAccount } from './opened-account.ts'

/** Opens the receipt beside the list that it stands in. */
export function ReceiptLink({ id, children }: ReceiptLinkProps) {
  const { accountId, search } = useOpenedAccount()
  return (
    <Link
      to="/operator/accounts/$accountId"
      params={{ accountId }}
      search={{ ...search, request: id }}
    >
      {children}
    </Link>
  )
}
