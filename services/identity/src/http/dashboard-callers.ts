/**
 * Tells who asks the dashboard. It reads that off the cookie of a session, and off nothing else.
 */
import { SHOWN_USER_HEADER } from '@svc/contracts/dashboard/declaration'
import { ServiceError } from '@svc/contracts/errors'
import type { AccountRole } from '@svc/contracts/events/users'
import type {
  AccountMember,
  AccountSessions,
  SessionRequest,
} from '@svc/contracts/ports/account-sessions'
import type { UserRecords } from '@svc/contracts/ports/user-records'
import type { OwnAddress } from '../operations/ports.ts'
import type { OpenSession, Sessions } from '../sessions/sessions.ts'
import { type ProxyHeader, proxyEmailOf } from '../sign-in/proxy-header.ts'
import type { Users } from '../users/users.ts'
import { sessionToken } from './cookies.ts'
import { isSecure, refuseForeign } from './own-requests.ts'

export interface DashboardCallersPorts {
  readonly sessions: Pick<Sessions, 'find'>
  readonly users: Pick<Users, 'find'>
  readonly records: Pick<UserRecords, 'find'>
  readonly address: OwnAddress
  readonly proxyHeader: ProxyHeader | undefined
}

export class DashboardCallers implements AccountSessions {
  readonly #sessions: Pick<Sessions, 'find'>
  readonly #users: Pick<Users, 'find'>
  readonly #records: Pick<UserRecords, 'find'>
  readonly #address: OwnAddress
  readonly #proxyHeader: ProxyHeader | undefined

  constructor({ sessions, users, records, address, proxyHeader }: DashboardCallersPorts) {
    this.#sessions = sessions
    this.#users = users
    this.#records = records
    this.#address = address
    this.#proxyHeader = proxyHeader
  }

  /**
   * @throws {ServiceError} `not_allowed` for what no page of ours has sent; `another_user` for a
   *   page that shows somebody else
   */
  async sessionOf(request: SessionRequest): Promise<OpenSession | undefined> {
    refuseForeign(this.#address, request)
    const open = await this.#open(request)
    const shown = request.headers[SHOWN_USER_HEADER]
    const isAnother = shown !== undefined && shown !== open?.user.userId
    if (open !== undefined && isAnother) throw anotherUser()
    return open
  }

  async #open(request: SessionRequest): Promise<OpenSession | undefined> {
    const token = sessionToken(request.headers, isSecure(this.#address, request))
    const open = await this.#sessions.find(token, request.ip)
    if (open?.session.way !== 'proxy') return open
    return (await this.#isStillNamed(open.user.userId, request)) ? open : undefined
  }

  /**
   * Tells whether the proxy still names the same user: what it began goes on only as long as it
   * does.
   */
  async #isStillNamed(userId: string, request: SessionRequest): Promise<boolean> {
    const email = proxyEmailOf(this.#proxyHeader, request)
    return email !== undefined && (await this.#records.find(userId))?.email === email
  }

  /** @throws {ServiceError} `not_signed_in`, and what `sessionOf` throws */
  async requireSession(request: SessionRequest): Promise<OpenSession> {
    const open = await this.sessionOf(request)
    if (open === undefined) throw notSignedIn()
    return open
  }

  async memberOf(
    request: SessionRequest,
    accountId: string,
    least: AccountRole,
  ): Promise<AccountMember> {
    const { user } = await this.requireSession(request)
    const role = user.accounts.get(accountId)
    if (role === undefined) throw noSuchAccount()
    if (least === 'owner' && role !== 'owner') {
      throw new ServiceError('not_allowed', 'Only owners of the account may do this.')
    }
    return { userId: user.userId, accountId, role }
  }

  async staysIn({ userId, accountId }: AccountMember): Promise<boolean> {
    const user = await this.#users.find(userId)
    return user?.status === 'active' && user.accounts.has(accountId)
  }
}

export function notSignedIn(): ServiceError {
  return new ServiceError('not_signed_in', 'Nobody is signed in here, or the session has ended.')
}

function anotherUser(): ServiceError {
  const message = 'Somebody else is signed in by now than this page shows. Load it anew.'
  return new ServiceError('another_user', message)
}

/** Gives one answer for an account of others and for none at all. */
function noSuchAccount(): ServiceError {
  return new ServiceError('not_found', 'There is no such account.', { param: 'account_id' })
}
