/**
 * Decides what may happen to users, without any effect. A command against what is known gives the
 * events, none when it is so already, or a refusal.
 */
import type { UserEvent } from '@svc/contracts/events/users'
import { issueLink, revokeLink, usableLink, useLink } from './link-decisions.ts'
import { lostLinks } from './lost-links.ts'
import { setMembership } from './membership.ts'
import { refuseLastPlatformOwner, roleSet } from './platform-role.ts'
import type { UsersState } from './state.ts'
import type { UserCommand } from './user-command.ts'
import {
  activeUser,
  checkRoomForUser,
  conflict,
  knownUser,
  type UserBounds,
  userBounds,
} from './user-rules.ts'

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
