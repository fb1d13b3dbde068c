/** Signing in by an identity provider, and linking one to a user. */
import { ServiceError } from '@svc/contracts/errors'
import type { ProviderQuestion } from '../provider/identity-provider.ts'
import { ProviderUsers } from '../provider/provider-users.ts'
import { BegunSignIns } from '../sign-in/begun-sign-ins.ts'
import { PasswordCheck } from '../sign-in/password-check.ts'
import { type Handlers, openOf, type Visitor } from './handler.ts'
import type { IdentityPorts } from './ports.ts'
import { sessionDetails } from './session-details.ts'
import { beginSession } from './session-operations.ts'

const RANDOM_BYTES = 32

type Names = 'startProviderSignIn' | 'finishProviderSignIn' | 'startProviderLink' | 'unlinkProvider'

interface Begun {
  readonly question: ProviderQuestion
  readonly linkSecret: string | undefined
  /** The user who links somebody of the provider's to themselves. */
  readonly linkTo: string | undefined
}

export function providerOperations(ports: IdentityPorts): Handlers<Names> {
  const { records, signInTrail, signInLimits: limits, clock, randomBytes } = ports
  const passwordCheck = new PasswordCheck(ports)
  const providerUsers = new ProviderUsers(ports)
  const begun = new BegunSignIns<Begun>(clock)
  const random = () => Buffer.from(randomBytes(RANDOM_BYTES)).toString('base64url')

  function requireProvider() {
    if (ports.provider !== undefined) return ports.provider
    throw new ServiceError('not_allowed', 'Nobody signs in here by an identity provider.')
  }

  /** Only the browser that began can finish: its mark is in a cookie that no page can read. */
  async function start(visitor: Visitor, whose: Omit<Begun, 'question'>) {
    await limits.takeStart(visitor.browser.address)
    const question = { state: random(), nonce: random(), verifier: random() }
    const url = await requireProvider().addressFor(question)
    const mark = random()
    begun.keep(mark, { question, ...whose })
    visitor.begin(mark)
    return { url }
  }

  return {
    async startProviderSignIn({ link_secret: linkSecret }, visitor) {
      requireProvider()
      return start(visitor, { linkSecret, linkTo: undefined })
    },

    async startProviderLink({ current_password: password }, visitor) {
      requireProvider()
      const open = openOf(visitor)
      await passwordCheck.requireAgain(password, open, visitor.browser)
      return start(visitor, { linkSecret: undefined, linkTo: open.user.userId })
    },

    async finishProviderSignIn({ answer }, visitor) {
      const provider = requireProvider()
      const own = visitor.begun === undefined ? undefined : begun.take(visitor.begun)
      visitor.begin(null)
      if (own === undefined) throw notBegun()
      const { question, linkSecret, linkTo } = own
      const person = await provider.userOf(answer, question)
      if (linkTo !== undefined) {
        if (visitor.open?.user.userId !== linkTo) throw otherUser()
        await providerUsers.link(linkTo, person)
        return sessionDetails(ports, visitor.open, visitor)
      }
      const beforeSignUp = () => limits.takeJoin(visitor.browser.address)
      const userId = await providerUsers.signIn(person, linkSecret, beforeSignUp)
      await signInTrail.signedIn(userId, 'provider')
      return beginSession(ports, userId, visitor, 'provider')
    },

    async unlinkProvider(_input, visitor) {
      const { issuer } = requireProvider()
      const { userId } = openOf(visitor).user
      const record = await records.find(userId)
      const passkeys = await records.passkeys.list(userId)
      if (record?.passwordHash == null && passkeys.length === 0) {
        throw new ServiceError('conflict', 'You could not sign in any more: add a passkey first.')
      }
      if (await records.identities.unlink(userId, issuer)) {
        await signInTrail.changed({ type: 'IdentityUnlinked', data: { userId, issuer } })
      }
      return sessionDetails(ports, visitor.open, visitor)
    },
  }
}

function notBegun(): ServiceError {
  const message = 'This sign-in was not begun in this browser, or too long ago. Begin again.'
  return new ServiceError('sign_in_refused', message)
}

function otherUser(): ServiceError {
  return new ServiceError(
    'sign_in_refused',
    'Another user is signed in now than the one who began.',
  )
}
