/** What is asked and changed of the users of the dashboard. */
import type { UserRecords } from '@svc/contracts/ports/user-records'
import type { Users } from '@svc/identity/users/users'
import type { Ledger } from '@svc/ledger/ledger'

export interface PeoplePorts {
  readonly users: Users
  /** Who they are. */
  readonly userRecords: UserRecords
  readonly ledger: Pick<Ledger, 'account'>
  /** Null for a service that is stopped. */
  readonly information: { readonly baseUrl: string | null }
}
