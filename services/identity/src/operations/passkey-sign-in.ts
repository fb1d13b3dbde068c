/** Signing in by a passkey. */
import { ServiceError } from '@svc/contracts/errors'
import { challengeOf, checkedAssertion, passkeyRefused } from '../passkeys/passkey-check.ts'
import { PASSKEY_TIMEOUT_MS, requireRelyingParty } from '../passkeys/relying-party.ts'
import { BegunSignIns } from '../sign-in/begun-sign-ins.ts'
import type { Handlers } from './handler.ts'
import type { IdentityPorts } from './ports.ts'
import { beginSession } from './session-operations.ts'

const CHALLENGE_BYTES = 32

export function passkeySignIn(
  ports: IdentityPorts,
): Handlers<'startPasskeySignIn' | 'signInByPasskey'> {
  const { users, records, signInTrail, signInLimits: limits, clock, randomBytes } = ports
  const { passkeys } = records
  /** Sign-ins that were begun, by the challenge that is to be signed. */
  const begun = new BegunSignIns<true>(clock)

  return {
    async startPasskeySignIn(_input, { browser }) {
      const { id: rpId } = requireRelyingParty(ports.relyingParty)
      await limits.takeStart(browser.address)
      const challenge = Buffer.from(randomBytes(CHALLENGE_BYTES)).toString('base64url')
      begun.keep(challenge, true)
      return {
        options: { challenge, rpId, timeout: PASSKEY_TIMEOUT_MS, userVerification: 'required' },
      }
    },

    async signInByPasskey({ credential }, visitor) {
      const relyingParty = requireRelyingParty(ports.relyingParty)
      const challenge = challengeOf(credential)
      const passkey = await passkeys.findByCredential(credential.id)
      try {
        if (begun.take(challenge) === undefined || passkey === undefined) throw passkeyRefused()
        const signCount = await checkedAssertion(credential, passkey, challenge, relyingParty)
        const { userId, passkeyId } = passkey
        const user = await users.find(userId)
        if (user?.status !== 'active') throw passkeyRefused()
        // A second copy of the key, or the same answer twice at once.
        const use = { signCount, at: clock.nowMs() }
        if (!(await passkeys.noteUse(passkeyId, use))) throw passkeyRefused()
        await signInTrail.signedIn(userId, 'passkey')
        return await beginSession(ports, userId, visitor, 'passkey')
      } catch (cause) {
        if (cause instanceof ServiceError && cause.code === 'sign_in_refused') {
          signInTrail.refused(passkey?.userId)
        }
        throw cause
      }
    },
  }
}
