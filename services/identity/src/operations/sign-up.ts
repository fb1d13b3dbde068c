/** The operations by which people come in by themselves, where the operator has opened that. */
import { ServiceError } from '@svc/contracts/errors'
import { OwnAccount } from '../sign-in/own-account.ts'
import type { Handlers } from './handler.ts'
import type { IdentityPorts } from './ports.ts'
import { beginSession } from './session-operations.ts'

export function signUpOperation(ports: IdentityPorts): Handlers<'signUp'> {
  const { signUp, signInLimits: limits } = ports
  const ownAccount = new OwnAccount(ports)
  return {
    async signUp({ email, display_name: displayName, password, account_name: name }, visitor) {
      if (signUp.policy !== 'open') {
        throw new ServiceError('not_allowed', 'Here people come in by a link that they were given.')
      }
      await limits.takeJoin(visitor.browser.address)
      const userId = await ownAccount.open({ email, displayName, password }, name)
      return beginSession(ports, userId, visitor, 'password')
    },
  }
}
