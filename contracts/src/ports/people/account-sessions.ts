/** Whose session a request came with, for the routes of one account. */
import type { AccountRole } from '../../events/users.ts'

/**
 * The parts of a request that a session is read off. A proxy is believed only where it is trusted.
 */
export interface SessionRequest {
  readonly method: string
  readonly protocol: string
  readonly host: string
  /** The address of the caller. */
  readonly ip: string
  /** The other end of the connection: a proxy, where one stands in front. */
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface AccountMember {
  readonly userId: string
  readonly accountId: string
  readonly role: AccountRole
}

export interface AccountSessions {
  /**
   * @param least the least role that may
   * @throws {ServiceError} `not_signed_in`; `not_found` for everybody who is not in the account;
   *   `not_allowed` for too little a role, and for what no page of ours has sent
   */
  memberOf(request: SessionRequest, accountId: string, least: AccountRole): Promise<AccountMember>
  /** Whether somebody who was let in is still in the account, and not disabled. */
  staysIn(member: AccountMember): Promise<boolean>
}
