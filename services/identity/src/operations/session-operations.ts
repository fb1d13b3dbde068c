/** Signing in and out, and what a user changes of themselves. */
import { ServiceError } from '@svc/contracts/errors'
import { userActor } from '@svc/contracts/events/actors'
import type { SignInWay } from '@svc/contracts/events/audit'
import type { OpenSession } from '../sessions/sessions.ts'
import { type CheckedPassword, PasswordCheck, wrongCredentials } from '../sign-in/password-check.ts'
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
      const checked = await passwordCheck.checked(email, password, visitor.browser)
      await signInTrail.signedIn(checked.userId, 'password')
      return beginPasswordSession(ports, checked, visitor)
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
      const checked = await passwordCheck.checkedOwn(email, current, visitor.browser)
      const passwordHash = await passwords.hash(password)
      if (!(await records.replacePassword(userId, checked.passwordHash, passwordHash))) {
        throw wrongCredentials()
      }
      await users.change({ type: 'SetPassword', userId }, userActor(userId))
      await sessions.endAll(userId)
      return beginPasswordSession(ports, { userId, passwordHash }, visitor)
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
  const { token, open } = await newSession(ports, userId, visitor, way)
  visitor.carry(token)
  return sessionDetails(ports, open, visitor)
}

/**
 * The same, on a password. Whoever sets another one ends all sessions of the user after that: one
 * that is begun meanwhile is among them, or finds the other password here.
 *
 * @throws {ServiceError} `wrong_credentials` when the user has another password by now
 */
export async function beginPasswordSession(
  ports: IdentityPorts,
  { userId, passwordHash }: CheckedPassword,
  visitor: Visitor,
) {
  const { token, open } = await newSession(ports, userId, visitor, 'password')
  if ((await ports.records.find(userId))?.passwordHash !== passwordHash) {
    if (open !== undefined) await ports.sessions.end(userId, open.session.sessionId)
    throw wrongCredentials()
  }
  visitor.carry(token)
  return sessionDetails(ports, open, visitor)
}

/** Another token for the same session: whoever uses a link has not signed in once more. */
export async function renewSession(
  ports: IdentityPorts,
  { session }: OpenSession,
  visitor: Visitor,
) {
  const { browser } = visitor
  const token = await ports.sessions.renew(session, browser)
  visitor.carry(token)
  return sessionDetails(ports, await ports.sessions.find(token, browser.address), visitor)
}

async function newSession(
  { sessions }: IdentityPorts,
  userId: string,
  { open: before, browser }: Visitor,
  way: SignInWay,
) {
  if (before !== undefined) await sessions.end(before.user.userId, before.session.sessionId)
  const token = await sessions.begin(userId, browser, way)
  return { token, open: await sessions.find(token, browser.address) }
}
