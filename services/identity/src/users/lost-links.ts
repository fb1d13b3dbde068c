/**
 * Links that are taken back because of what became of a user. Who may no longer make a link must
 * not come back, or let others in, by one that they have made before.
 */
import { userActor } from '@svc/contracts/events/actors'
import type { UserEvent } from '@svc/contracts/events/users'
import type { Link, User, UsersState } from './state.ts'

/** The rights of a user, in all. */
export type Standing = Pick<User, 'userId' | 'status' | 'platformRole' | 'accounts'>

/** @param after as the user is from now on */
export function lostLinks(
  state: UsersState,
  after: Standing,
  at: number,
): Extract<UserEvent, { type: 'LinkRevoked' }>[] {
  const before = state.users.get(after.userId)
  const joinsTheRunning = before?.platformRole === null && after.platformRole !== null
  const isLost = (link: Link) =>
    // Only an owner of the service could make the link now, and an operator may have it.
    (joinsTheRunning && link.userId === after.userId) ||
    (link.issuedBy === userActor(after.userId) && !mayIssue(state, after, link))
  return [...state.links.values()]
    .filter((link) => at < link.expiresAt && isLost(link))
    .map(({ linkId }) => ({ type: 'LinkRevoked', data: { linkId, at } }))
}

function mayIssue(
  { users }: UsersState,
  { status, platformRole: own, accounts }: Standing,
  { platformRole, accountId, userId }: Link,
): boolean {
  if (status !== 'active') return false
  const ofUser = userId === null ? undefined : users.get(userId)
  if (platformRole !== null || (ofUser?.platformRole ?? null) !== null) return own === 'owner'
  if (own === 'owner' || own === 'operator') return true
  return accountId !== null && accounts.get(accountId) === 'owner'
}
