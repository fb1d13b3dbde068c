/** Keeps who may use the dashboard, as the events say, and how each event changes that. */
import type { AccountRole, LinkKind, PlatformRole, UserEvent } from '@svc/contracts/events/users'

/** Times are milliseconds since 1970. */
export interface User {
  readonly userId: string
  readonly joinedAt: number
  status: 'active' | 'disabled' | 'erased'
  platformRole: PlatformRole | null
  readonly accounts: Map<string, AccountRole>
  /** Sessions that began before this have ended. */
  sessionsFrom: number
}

export interface Link {
  readonly linkId: string
  readonly kind: LinkKind
  readonly secretHash: string
  /** The actor who made it. */
  readonly issuedBy: string
  readonly platformRole: PlatformRole | null
  readonly accountId: string | null
  readonly accountRole: AccountRole | null
  readonly userId: string | null
  readonly createdAt: number
  readonly expiresAt: number
}

export interface UsersState {
  /** The users in the order in which they joined. */
  readonly users: Map<string, User>
  /** The links that can still be used, and those that are past their time. */
  readonly links: Map<string, Link>
  /** The users of each account, in the order in which they came. */
  readonly members: Map<string, Set<string>>
}

export function noUsers(): UsersState {
  return { users: new Map(), links: new Map(), members: new Map() }
}

/** @param actor who caused the event */
export function evolve(state: UsersState, { type, data }: UserEvent, actor: string): void {
  switch (type) {
    case 'LinkIssued': {
      const { at, ...link } = data
      for (const { linkId, expiresAt } of state.links.values()) {
        if (expiresAt <= at) state.links.delete(linkId)
      }
      state.links.set(link.linkId, { ...link, issuedBy: actor, createdAt: at })
      return
    }
    case 'LinkUsed':
    case 'LinkRevoked':
      state.links.delete(data.linkId)
      return
    case 'UserJoined':
      state.users.set(data.userId, {
        userId: data.userId,
        joinedAt: data.at,
        status: 'active',
        platformRole: null,
        accounts: new Map(),
        sessionsFrom: data.at,
      })
      return
    case 'PlatformRoleSet':
      userOf(state, data.userId).platformRole = data.role
      return
    case 'MembershipSet':
      setMembership(state, data.userId, data.accountId, data.role)
      return
    case 'PasswordSet':
      userOf(state, data.userId).sessionsFrom = data.at
      return
    case 'UserStatusSet': {
      const user = userOf(state, data.userId)
      user.status = data.status
      user.sessionsFrom = data.at
      if (data.status !== 'erased') return
      user.platformRole = null
      for (const accountId of [...user.accounts.keys()]) {
        setMembership(state, user.userId, accountId, null)
      }
    }
  }
}

function setMembership(
  { users, members }: UsersState,
  userId: string,
  accountId: string,
  role: AccountRole | null,
): void {
  const accounts = users.get(userId)?.accounts
  const inAccount = members.get(accountId) ?? new Set()
  if (role === null) {
    accounts?.delete(accountId)
    inAccount.delete(userId)
  } else {
    accounts?.set(accountId, role)
    inAccount.add(userId)
  }
  if (inAccount.size === 0) members.delete(accountId)
  else members.set(accountId, inAccount)
}

/** @throws {RangeError} for an event about somebody who never joined: no decision writes one */
function userOf({ users }: UsersState, userId: string): User {
  const user = users.get(userId)
  if (user === undefined) throw new RangeError(`there is no user ${userId}`)
  return user
}
