/** Signing in and out, and what a user changes of themselves. */
import { ServiceError } from '@svc/contracts/errors'
import type { SignInWay } from '@svc/contracts/events/audit'
import { PasswordCheck } from '../sign-in/password-check.ts'
import { actorOf } from '../users/user-actor.ts'
import { type Handlers, openOf, type Visitor } from './handler.ts'
import type { IdentityPorts } from './ports.ts'
import { sessionDetails } from './session-details.ts'

type Names = 'session' | 'signIn' | 'signOut' | 'changePassword' | 'changeProfile'

export function sessionOperations(ports: IdentityPorts): Handlers<Names> {
  const { users, records, sessions, passwords, signInTrail } = ports
  const passwordCheck = new PasswordCheck(ports)

  return {
    session: async (_input, visitor) => sessionDetails(ports, visitor.open, visitor),

    async signIn({ email, password }, visitor) {
      const userId = await passwordCheck.userOf(email, password, visitor.browser)
      await signInTrail.signedIn(userId, 'password')
      return beginSession(ports, userId, visitor, 'password')
    },

    async signOut(_input, visitor) {
      const { open, carry } = visitor
      if (open !== undefined) await sessions.end(open.user.userId, open.session.sessionId)
      carry(null)
      if (open !== undefined) await signInTrail.signedOut(open.user.userId)
      return sessionDetails(ports, undefined, visitor)
    },

    async changePassword({ current_password: current, new_password: password }, visitor) {
      const { userId } = openOf(visitor).user
      const { email = '', passwordHash: before } = (await records.find(userId)) ?? {}
      if (before === null) {
        const message = 'You have no password: ask whoever runs this server for a link to set one.'
        throw new ServiceError('conflict', message)
      }
      await passwordCheck.userOf(email, current, visitor.browser)
      const passwordHash = await passwords.hash(password)
      await records.change(userId, { passwordHash })
      await users.change({ type: 'SetPassword', userId }, actorOf(userId))
      await sessions.endAll(userId)
      return beginSession(ports, userId, visitor, 'password')
    },

    async changeProfile({ display_name: displayName }, visitor) {
      const open = openOf(visitor)
      await records.change(open.user.userId, { displayName })
      return sessionDetails(ports, open, visitor)
    },
  }
}

/** Always a new one: what a browser carried before, and somebody may have planted, ends. */
export async function beginSession(
  ports: IdentityPorts,
  userId: string,
  visitor: Visitor,
  way: SignInWay,
) {
  const { sessions } = ports
  const { open: before, browser } = visitor
  if (before !== undefined) await sessions.end(before.user.userId, before.session.sessionId)
  const token = await sessions.begin(userId, browser, way)
  visitor.carry(token)
  return sessionDetails(ports, await sessions.find(token, browser.address), visitor)
}
