/**
 * What may happen to users: pure. A command against what is known gives the events, none when it is
 * so already, or a refusal.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { AccountRole, LinkKind, PlatformRole, UserEvent } from '@svc/contracts/events/users'
import { lostLinks, type Standing } from './lost-links.ts'
import type { Link, User, UsersState } from './state.ts'

export interface UserBounds {
  readonly users: number
  /** That can still be used. */
  readonly links: number
  /** The same, of one account: none keeps the others from letting people in. */
  readonly linksOfAccount: number
  readonly membersOfAccount: number
  readonly accountsOfUser: number
}

const userBounds: UserBounds = {
  users: 20_000,
  links: 2_000,
  linksOfAccount: 50,
  membersOfAccount: 100,
  accountsOfUser: 100,
}

/** `at` is in milliseconds since 1970. */
export type UserCommand = { readonly at: number } & (
  | {
      readonly type: 'IssueLink'
      readonly linkId: string
      readonly kind: LinkKind
      readonly secretHash: string
      readonly platformRole: PlatformRole | null
      readonly membership: { readonly accountId: string; readonly role: AccountRole } | null
      readonly userId: string | null
      readonly expiresAt: number
    }
  /** @property accountId of an invitation to this account only */
  | { readonly type: 'RevokeLink'; readonly linkId: string; readonly accountId?: string }
  /** Of an owner or an invitation, by somebody new or by somebody who is here. */
  | { readonly type: 'UseLink'; readonly linkId: string; readonly userId: string }
  | { readonly type: 'UseReset'; readonly linkId: string }
  | { readonly type: 'SignUp'; readonly userId: string; readonly accountId: string }
  | { readonly type: 'SetPassword'; readonly userId: string }
  | {
      readonly type: 'SetPlatformRole'
      readonly userId: string
      readonly role: PlatformRole | null
    }
  | {
      readonly type: 'SetMembership'
      readonly userId: string
      readonly accountId: string
      readonly role: AccountRole | null
      /** Then the user can come in by this, and the account lose its last owner. */
      readonly byOperator: boolean
    }
  | {
      readonly type: 'SetStatus'
      readonly userId: string
      readonly status: 'active' | 'disabled' | 'erased'
    }
)

/** @throws {ServiceError} `not_found`, `conflict` */
export function decide(
  state: UsersState,
  command: UserCommand,
  bounds: UserBounds = userBounds,
): readonly UserEvent[] {
  const { at } = command
  switch (command.type) {
    case 'IssueLink':
      return issueLink(state, command, bounds)
    case 'RevokeLink':
      return revokeLink(state, command)
    case 'UseLink':
      return useLink(state, command, bounds)
    case 'UseReset': {
      const link = usableLink(state, command.linkId, at)
      const { userId } = activeUser(state, link.userId ?? '')
      return [
        { type: 'LinkUsed', data: { linkId: link.linkId, userId, at } },
        { type: 'PasswordSet', data: { userId, at } },
      ]
    }
    case 'SignUp': {
      const { userId, accountId } = command
      checkRoomForUser(state, bounds)
      return [
        { type: 'UserJoined', data: { userId, at } },
        { type: 'MembershipSet', data: { userId, accountId, role: 'owner', at } },
      ]
    }
    case 'SetPassword': {
      const { userId } = activeUser(state, command.userId)
      return [{ type: 'PasswordSet', data: { userId, at } }]
    }
    case 'SetPlatformRole': {
      const { userId, role } = command
      const user = activeUser(state, userId)
      if (user.platformRole === role) return []
      if (role !== 'owner') refuseLastPlatformOwner(state, user)
      return roleSet(state, user, role, at)
    }
    case 'SetMembership':
      return setMembership(state, command, bounds)
    case 'SetStatus': {
      const { userId, status } = command
      const user = knownUser(state, userId)
      if (user.status === status) return []
      if (user.status === 'erased') throw conflict('The user has been erased.')
      if (status !== 'active') refuseLastPlatformOwner(state, user)
      return [
        { type: 'UserStatusSet', data: { userId, status, at } },
        ...lostLinks(state, { ...user, status }, at),
      ]
    }
  }
}

function issueLink(
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

function revokeLink(
  { links }: UsersState,
  { linkId, accountId, at }: Extract<UserCommand, { type: 'RevokeLink' }>,
): readonly UserEvent[] {
  const link = links.get(linkId)
  const isOfAccount = accountId === undefined || link?.accountId === accountId
  if (link === undefined || !isOfAccount) throw noSuchLink()
  return [{ type: 'LinkRevoked', data: { linkId, at } }]
}

function useLink(
  state: UsersState,
  { linkId, userId, at }: Extract<UserCommand, { type: 'UseLink' }>,
  bounds: UserBounds,
): readonly UserEvent[] {
  const link = usableLink(state, linkId, at)
  // Of one for a password the secret is not for joining.
  if (link.kind === 'reset') throw noSuchLink()
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

function roleSet(
  state: UsersState,
  user: Standing,
  role: PlatformRole | null,
  at: number,
): readonly UserEvent[] {
  return [
    { type: 'PlatformRoleSet', data: { userId: user.userId, role, at } },
    ...lostLinks(state, { ...user, platformRole: role }, at),
  ]
}

function newcomer(userId: string): Standing {
  return { userId, status: 'active', platformRole: null, accounts: new Map() }
}

function setMembership(
  state: UsersState,
  command: Extract<UserCommand, { type: 'SetMembership' }>,
  bounds: UserBounds,
): readonly UserEvent[] {
  const { userId, accountId, role, byOperator, at } = command
  const user = knownUser(state, userId)
  const now = user.accounts.get(accountId) ?? null
  if (now === null && !byOperator) throw noSuchUser()
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

function checkMembership(
  { users, members }: UsersState,
  { userId, accountId }: { readonly userId: string; readonly accountId: string },
  bounds: UserBounds,
): void {
  checkRoom(members.get(accountId)?.size ?? 0, bounds.membersOfAccount, 'people in this account')
  checkRoom(users.get(userId)?.accounts.size ?? 0, bounds.accountsOfUser, 'accounts of this user')
}

/** @throws {ServiceError} `not_found`: one answer for every link that is of no use */
export function usableLink({ links }: UsersState, linkId: string, at: number): Link {
  const link = links.get(linkId)
  if (link === undefined || link.expiresAt <= at) throw noSuchLink()
  return link
}

export function noSuchLink(): ServiceError {
  const message = 'This link cannot be used: it was used before, has ended, or was taken back.'
  return new ServiceError('not_found', message)
}

function knownUser({ users }: UsersState, userId: string): User {
  const user = users.get(userId)
  if (user === undefined) throw noSuchUser()
  return user
}

function activeUser(state: UsersState, userId: string): User {
  const user = knownUser(state, userId)
  if (user.status !== 'active') throw conflict(`The user is ${user.status}.`)
  return user
}

export function hasPlatformOwner(state: UsersState): boolean {
  return [...state.users.values()].some(isPlatformOwner)
}

function refuseLastPlatformOwner({ users }: UsersState, user: User): void {
  if (!isPlatformOwner(user)) return
  const others = [...users.values()].filter((each) => isPlatformOwner(each) && each !== user)
  if (others.length > 0) return
  throw conflict('The last owner of the service stays one: make somebody else an owner first.')
}

function isPlatformOwner({ status, platformRole }: User): boolean {
  return status === 'active' && platformRole === 'owner'
}

function isOfOwner({ kind }: Link): boolean {
  return kind === 'owner'
}

const ranks = { auditor: 1, operator: 2, owner: 3 } as const satisfies Record<PlatformRole, number>

function isMore(role: PlatformRole, than: PlatformRole | null): boolean {
  return than === null || ranks[role] > ranks[than]
}

/** Without those who are kept out: nobody could make a key, or let anybody in. */
function ownersOf({ users, members }: UsersState, accountId: string): readonly string[] {
  const ids = [...(members.get(accountId) ?? [])]
  return ids.filter((userId) => isOwnerOf(users.get(userId), accountId))
}

function isOwnerOf(user: User | undefined, accountId: string): boolean {
  return user?.status === 'active' && user.accounts.get(accountId) === 'owner'
}

/** @throws {ServiceError} `conflict` when there are as many users as there can be */
export function checkRoomForUser(state: UsersState, bounds = userBounds): void {
  checkRoom(state.users.size, bounds.users, 'users')
}

function checkRoom(count: number, max: number, what: string): void {
  if (count >= max) throw conflict(`There are ${max} ${what}, the most there can be.`)
}

function noSuchUser(): ServiceError {
  return new ServiceError('not_found', 'There is no such user.', { param: 'user_id' })
}

function conflict(message: string): ServiceError {
  return new ServiceError('conflict', message)
}
