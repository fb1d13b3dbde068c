/** The ports that the operations on the users of the dashboard need. */
import type { UserRecords } from '@svc/contracts/ports/user-records'
import type { Users } from '@svc/identity/users/users'
import type { Ledger } from '@svc/ledger/ledger'

export interface PeoplePorts {
  readonly users: Users
  /** Who the users are. */
  readonly userRecords: UserRecords
  readonly ledger: Pick<Ledger, 'account'>
  /** The URL is null for a service that is stopped. */
  readonly information: { readonly baseUrl: string | null }
}
