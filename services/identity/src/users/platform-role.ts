/** The roles of those who run the service: one of them is always its owner. */
import type { PlatformRole, UserEvent } from '@svc/contracts/events/users'
import { lostLinks, type Standing } from './lost-links.ts'
import type { User, UsersState } from './state.ts'
import { conflict } from './user-rules.ts'

const ranks = { auditor: 1, operator: 2, owner: 3 } as const satisfies Record<PlatformRole, number>

export function roleSet(
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

export function isMore(role: PlatformRole, than: PlatformRole | null): boolean {
  return than === null || ranks[role] > ranks[than]
}

export function hasPlatformOwner(state: UsersState): boolean {
  return [...state.users.values()].some(isPlatformOwner)
}

export function refuseLastPlatformOwner({ users }: UsersState, user: User): void {
  if (!isPlatformOwner(user)) return
  const others = [...users.values()].filter((each) => isPlatformOwner(each) && each !== user)
  if (others.length > 0) return
  throw conflict('The last owner of the service stays one: make somebody else an owner first.')
}

function isPlatformOwner({ status, platformRole }: User): boolean {
  return status === 'active' && platformRole === 'owner'
}
