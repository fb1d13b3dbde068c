/** What the room stands on. */
import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import type { PicoDollars } from '@svc/contracts/money'
import type { RateLimits } from '@svc/contracts/ports/rate-limits'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock } from '@svc/contracts/ports/time'
import type { UserRecords } from '@svc/contracts/ports/user-records'
import type { Ledger } from '@svc/ledger/ledger'
import type { FastifyRequest } from 'fastify'
import type { PasswordHash } from '../passwords/password-hash.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { SignInTrail } from '../sign-in/sign-in-trail.ts'
import type { Users } from '../users/users.ts'

type SessionDetails = DashboardOutput<'session'>

export interface SignUpSettings {
  /**
   *     closed      only who runs the service lets people in
   *     invitation  owners of an account let others into that one too
   *     open        everybody can have an account
   */
  readonly policy: SessionDetails['sign_up']
  /** Of an account that somebody opened for themselves; 0 for none. */
  readonly credit: PicoDollars
}

/** As the operator says it is; undefined: every request tells its own. */
export interface OwnAddress {
  readonly publicUrl: string | undefined
}

export interface IdentityPorts {
  readonly users: Users
  readonly records: UserRecords
  readonly sessions: Sessions
  readonly passwords: PasswordHash
  readonly signInTrail: Pick<SignInTrail, 'signedIn' | 'signedOut' | 'refused'>
  readonly rateLimits: RateLimits
  readonly ledger: Pick<Ledger, 'account' | 'administration'>
  /** Where the names of accounts are. */
  readonly texts: Pick<TextStore, 'find'>
  readonly clock: Clock
  readonly address: OwnAddress
  readonly signUp: SignUpSettings
  readonly branding: SessionDetails['branding']
  readonly version: string
  /** The address of the service for clients, without `/v1`, as this request reached it. */
  rootUrl(request: FastifyRequest): string
}
