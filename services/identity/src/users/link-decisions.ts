/** Links by which people come in, or set a new password: made, taken back and used once. */
import { ServiceError } from '@svc/contracts/errors'
import type { UserEvent } from '@svc/contracts/events/users'
import type { Standing } from './lost-links.ts'
import { checkMembership } from './membership.ts'
import { hasPlatformOwner, isMore, roleSet } from './platform-role.ts'
import type { Link, UsersState } from './state.ts'
import type { UserCommand } from './user-command.ts'
import { activeUser, checkRoom, checkRoomForUser, type UserBounds } from './user-rules.ts'

export function issueLink(
  state: UsersState,
  command: Extract<UserCommand, { type: 'IssueLink' }>,
  bounds: UserBounds,
): readonly UserEvent[] {
  const { type: _, membership, at, ...link } = command
  const open = [...state.links.values()].filter(({ expiresAt }) => at < expiresAt)
  checkRoom(open.length, bounds.links, 'links that can still be used')
  if (membership !== null) {
    const toAccount = open.filter(({ accountId }) => accountId === membership.accountId)
    checkRoom(toAccount.length, bounds.linksOfAccount, 'links to this account that can be used')
  }
  if (link.kind === 'owner' && (hasPlatformOwner(state) || open.some(isOfOwner))) return []
  if (link.userId !== null) activeUser(state, link.userId)
  // A new link for a password takes the place of the one before.
  const before = open.filter(({ userId }) => userId !== null && userId === link.userId)
  const data = {
    ...link,
    accountId: membership?.accountId ?? null,
    accountRole: membership?.role ?? null,
    at,
  }
  return [
    ...before.map(({ linkId }) => ({ type: 'LinkRevoked', data: { linkId, at } }) as const),
    { type: 'LinkIssued', data },
  ]
}

export function revokeLink(
  { links }: UsersState,
  { linkId, accountId, at }: Extract<UserCommand, { type: 'RevokeLink' }>,
): readonly UserEvent[] {
  const link = links.get(linkId)
  const isOfAccount = accountId === undefined || link?.accountId === accountId
  if (link === undefined || !isOfAccount) throw noSuchLink('invitation_id')
  if (accountId !== undefined && link.platformRole !== null) {
    const message = 'This link is of somebody who runs the service: an owner of it takes it back.'
    throw new ServiceError('not_allowed', message)
  }
  return [{ type: 'LinkRevoked', data: { linkId, at } }]
}

export function useLink(
  state: UsersState,
  { linkId, userId, at }: Extract<UserCommand, { type: 'UseLink' }>,
  bounds: UserBounds,
): readonly UserEvent[] {
  const link = usableLink(state, linkId, at)
  // The secret of a link for a password is not for joining.
  if (link.kind === 'reset') throw noSuchLink('secret')
  const known = state.users.get(userId)
  if (known === undefined) checkRoomForUser(state, bounds)
  else activeUser(state, userId)
  const events: UserEvent[] = [{ type: 'LinkUsed', data: { linkId, userId, at } }]
  if (known === undefined) events.push({ type: 'UserJoined', data: { userId, at } })
  const { platformRole: role, accountId, accountRole } = link
  const user = known ?? newcomer(userId)
  if (role !== null && isMore(role, user.platformRole)) {
    events.push(...roleSet(state, user, role, at))
  }
  if (accountId !== null && accountRole !== null) {
    const now = user.accounts.get(accountId)
    if (now !== accountRole && now !== 'owner') {
      if (now === undefined) checkMembership(state, { userId, accountId }, bounds)
      events.push({ type: 'MembershipSet', data: { userId, accountId, role: accountRole, at } })
    }
  }
  return events
}

function newcomer(userId: string): Standing {
  return { userId, status: 'active', platformRole: null, accounts: new Map() }
}

/** @throws {ServiceError} `not_found`: one answer for every link that is of no use */
export function usableLink({ links }: UsersState, linkId: string, at: number): Link {
  const link = links.get(linkId)
  if (link === undefined || link.expiresAt <= at) throw noSuchLink('secret')
  return link
}

/** @param param the field that named it */
export function noSuchLink(param: 'secret' | 'invitation_id'): ServiceError {
  const message = 'This link cannot be used: it was used before, has ended, or was taken back.'
  return new ServiceError('not_found', message, { param })
}

function isOfOwner({ kind }: Link): boolean {
  return kind === 'owner'
}
