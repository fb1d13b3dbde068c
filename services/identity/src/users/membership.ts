/** Decides who is in an account, and as what. Only the operator can take its last owner away. */
import type { UserEvent } from '@svc/contracts/events/users'
import { lostLinks } from './lost-links.ts'
import type { User, UsersState } from './state.ts'
import type { UserCommand } from './user-command.ts'
import {
  activeUser,
  checkRoom,
  conflict,
  knownUser,
  noSuchUser,
  type UserBounds,
} from './user-rules.ts'

export function setMembership(
  state: UsersState,
  command: Extract<UserCommand, { type: 'SetMembership' }>,
  bounds: UserBounds,
): readonly UserEvent[] {
  const { userId, accountId, role, byOperator, at } = command
  const user = knownUser(state, userId)
  const now = user.accounts.get(accountId) ?? null
  if (now === null && !byOperator) throw noSuchUser(userId)
  if (now === role) return []
  if (now === null) {
    activeUser(state, userId)
    checkMembership(state, { userId, accountId }, bounds)
  }
  const others = ownersOf(state, accountId).filter((each) => each !== userId)
  if (isOwnerOf(user, accountId) && !byOperator && others.length === 0) {
    throw conflict('The last owner of an account stays its owner: make somebody else one first.')
  }
  const accounts = new Map(user.accounts)
  if (role === null) accounts.delete(accountId)
  else accounts.set(accountId, role)
  return [
    { type: 'MembershipSet', data: { userId, accountId, role, at } },
    ...lostLinks(state, { ...user, accounts }, at),
  ]
}

export function checkMembership(
  { users, members }: UsersState,
  { userId, accountId }: { readonly userId: string; readonly accountId: string },
  bounds: UserBounds,
): void {
  checkRoom(members.get(accountId)?.size ?? 0, bounds.membersOfAccount, 'people in this account')
  checkRoom(users.get(userId)?.accounts.size ?? 0, bounds.accountsOfUser, 'accounts of this user')
}

/** Finds the owners without those who are kept out: they could make no key, and let nobody in. */
function ownersOf({ users, members }: UsersState, accountId: string): readonly string[] {
  const ids = [...(members.get(accountId) ?? [])]
  return ids.filter((userId) => isOwnerOf(users.get(userId), accountId))
}

function isOwnerOf(user: User | undefined, accountId: string): boolean {
  return user?.status === 'active' && user.accounts.get(accountId) === 'owner'
}
