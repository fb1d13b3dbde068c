import type { AccountDetails } from '@svc/contracts/admin/accounts'

/** A dialog about one account. */
export interface AccountDialogProps {
  readonly account: AccountDetails
  readonly onClose: () => void
}
