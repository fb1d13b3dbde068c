/** How people come in by themselves, where the operator has opened that. */
import { ServiceError } from '@svc/contracts/errors'
import { Joining } from '../sign-in/joining.ts'
import { SignInLimits } from '../sign-in/sign-in-limits.ts'
import type { Handlers } from './handler.ts'
import type { IdentityPorts } from './ports.ts'
import { actorOf, beginSession } from './session-operations.ts'

/** Of the credit of a new account. */
const PRIORITY = 100

export function signUpOperation(ports: IdentityPorts): Handlers<'signUp'> {
  const { users, ledger, signUp, rateLimits } = ports
  const limits = new SignInLimits(rateLimits)
  const joining = new Joining(ports)
  return {
    async signUp({ email, display_name: displayName, password, account_name: name }, visitor) {
      if (signUp.policy !== 'open') {
        throw new ServiceError('not_allowed', 'Here people come in by a link that they were given.')
      }
      await limits.checkJoin(visitor.browser.address)
      await limits.noteJoin(visitor.browser.address)
      const userId = await joining.join({ email, displayName, password }, async (newUserId) => {
        const actor = actorOf(newUserId)
        const { accountId } = await ledger.administration.openAccount({
          name,
          spendPolicy: 'standard',
          actor,
        })
        await giveCredit(ports, accountId)
        await users.change({ type: 'SignUp', userId: newUserId, accountId }, actor)
      })
      return beginSession(ports, userId, visitor)
    },
  }
}

async function giveCredit({ ledger, signUp }: IdentityPorts, accountId: string): Promise<void> {
  if (signUp.credit === 0n) return
  await ledger.administration.grant(accountId, {
    amount: signUp.credit,
    category: 'promotional',
    priority: PRIORITY,
    expiresAt: null,
    reference: 'sign-up',
    reason: 'credit to try the service with',
    actor: 'sign-up',
  })
}
