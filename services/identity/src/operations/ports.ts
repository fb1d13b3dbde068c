/** The ports that this room stands on. */
import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import type { IdSource } from '@svc/contracts/ids'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock } from '@svc/contracts/ports/time'
import type { UserRecords } from '@svc/contracts/ports/user-records'
import type { Ledger } from '@svc/ledger/ledger'
import type { FastifyRequest } from 'fastify'
import type { RelyingParty } from '../passkeys/relying-party.ts'
import type { PasswordHash } from '../passwords/password-hash.ts'
import type { IdentityProvider } from '../provider/identity-provider.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { SignUpSettings } from '../sign-in/own-account.ts'
import type { ProxyHeader } from '../sign-in/proxy-header.ts'
import type { SignInLimits } from '../sign-in/sign-in-limits.ts'
import type { SignInTrail } from '../sign-in/sign-in-trail.ts'
import type { Users } from '../users/users.ts'

type SessionDetails = DashboardOutput<'session'>

/** The address as the operator says it is. Undefined means that every request tells its own. */
export interface OwnAddress {
  readonly publicUrl: string | undefined
}

export interface IdentityPorts {
  readonly users: Users
  readonly records: UserRecords
  readonly sessions: Sessions
  readonly passwords: PasswordHash
  readonly signInTrail: Pick<SignInTrail, 'signedIn' | 'signedOut' | 'refused' | 'changed'>
  /** One set of limits serves all operations: what fails in one counts in the others. */
  readonly signInLimits: SignInLimits
  readonly ledger: Pick<Ledger, 'account' | 'administration'>
  /** The texts that have the names of accounts. */
  readonly texts: Pick<TextStore, 'find'>
  readonly clock: Clock
  readonly ids: IdSource
  /** Gives bytes of a cryptographic source. */
  readonly randomBytes: (count: number) => Uint8Array
  readonly address: OwnAddress
  /** Undefined means that nobody signs in by one. */
  readonly provider: IdentityProvider | undefined
  /** The party whose passkeys are taken here. Undefined means that none are. */
  readonly relyingParty: RelyingParty | undefined
  readonly proxyHeader: ProxyHeader | undefined
  readonly signUp: SignUpSettings
  readonly branding: SessionDetails['branding']
  readonly version: string
  /** The address of the service for clients, without `/v1`, as this request reached it. */
  rootUrl(request: FastifyRequest): string
}
