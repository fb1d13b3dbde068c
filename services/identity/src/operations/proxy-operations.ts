/** Signing in as whom the proxy in front of the server names. */
import { ServiceError } from '@svc/contracts/errors'
import { OwnAccount } from '../sign-in/own-account.ts'
import type { Handlers } from './handler.ts'
import type { IdentityPorts } from './ports.ts'
import { beginSession } from './session-operations.ts'

export function proxyOperations(ports: IdentityPorts): Handlers<'signInByProxy'> {
  const { users, records, signInTrail, signUp } = ports
  const ownAccount = new OwnAccount(ports)

  async function userOf(email: string): Promise<string> {
    const record = await records.findByEmail(email)
    const user = record && (await users.find(record.userId))
    if (user?.status === 'active') return user.userId
    if (user !== undefined) {
      signInTrail.refused(user.userId)
      throw new ServiceError('sign_in_refused', 'You may not come in here.')
    }
    if (signUp.policy !== 'open') {
      const message = `${email} is nobody here. Ask for an invitation.`
      throw new ServiceError('not_allowed', message)
    }
    return ownAccount.open({ email, displayName: email, password: null }, email)
  }

  return {
    async signInByProxy(_input, visitor) {
      const { proxyEmail } = visitor
      if (proxyEmail === undefined) {
        throw new ServiceError('sign_in_refused', 'No proxy of this service says who you are.')
      }
      const userId = await userOf(proxyEmail)
      await signInTrail.signedIn(userId, 'proxy')
      return beginSession(ports, userId, visitor, 'proxy')
    },
  }
}
