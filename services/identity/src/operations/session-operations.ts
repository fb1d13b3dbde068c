/** Signing in and out, and what a user changes of themselves. */
import { ServiceError } from '@svc/contracts/errors'
import { SignInLimits } from '../sign-in/sign-in-limits.ts'
import { type Handlers, openOf, type Visitor } from './handler.ts'
import type { IdentityPorts } from './ports.ts'
import { sessionDetails } from './session-details.ts'

type Names = 'session' | 'signIn' | 'signOut' | 'changePassword' | 'changeProfile'

export function sessionOperations(ports: IdentityPorts): Handlers<Names> {
  const { users, records, sessions, passwords, signInTrail } = ports
  const limits = new SignInLimits(ports.rateLimits)

  /** @throws {ServiceError} `wrong_credentials`, one answer for all that can be wrong */
  async function checkPassword(who: string, password: string, { browser }: Visitor) {
    await limits.check(who, browser.address)
    const record = await records.findByEmail(who)
    const isRight = await passwords.isRight(password, record?.passwordHash)
    const user = record && (await users.find(record.userId))
    if (isRight && user?.status === 'active') return user.userId
    signInTrail.refused(user?.userId)
    await limits.noteFailure(who, browser.address)
    throw new ServiceError('wrong_credentials', 'The e-mail address or the password is wrong.')
  }

  return {
    session: async (_input, { open, rootUrl }) => sessionDetails(ports, open, rootUrl),

    async signIn({ email, password }, visitor) {
      const userId = await checkPassword(email, password, visitor)
      await signInTrail.signedIn(userId)
      return beginSession(ports, userId, visitor)
    },

    async signOut(_input, { open, carry, rootUrl }) {
      if (open !== undefined) await sessions.end(open.user.userId, open.session.sessionId)
      carry(null)
      if (open !== undefined) await signInTrail.signedOut(open.user.userId)
      return sessionDetails(ports, undefined, rootUrl)
    },

    async changePassword({ current_password: current, new_password: password }, visitor) {
      const { userId } = openOf(visitor).user
      const { email = '' } = (await records.find(userId)) ?? {}
      await checkPassword(email, current, visitor)
      const passwordHash = await passwords.hash(password)
      await records.change(userId, { passwordHash })
      await users.change({ type: 'SetPassword', userId }, actorOf(userId))
      await sessions.endAll(userId)
      return beginSession(ports, userId, visitor)
    },

    async changeProfile({ display_name: displayName }, visitor) {
      const open = openOf(visitor)
      await records.change(open.user.userId, { displayName })
      return sessionDetails(ports, open, visitor.rootUrl)
    },
  }
}

/** Always a new one: what a browser carried before, and somebody may have planted, ends. */
export async function beginSession(ports: IdentityPorts, userId: string, visitor: Visitor) {
  const { sessions } = ports
  const { open: before, browser, rootUrl } = visitor
  if (before !== undefined) await sessions.end(before.user.userId, before.session.sessionId)
  const token = await sessions.begin(userId, browser)
  visitor.carry(token)
  return sessionDetails(ports, await sessions.find(token, browser.address), rootUrl)
}

/** As it stands in events: no person's name. */
export function actorOf(userId: string): string {
  return `user:${userId}`
}
