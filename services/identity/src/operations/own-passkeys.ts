/** The passkeys of a user: listed, added, renamed and removed. */
import { ServiceError } from '@svc/contracts/errors'
import type { Passkey } from '@svc/contracts/ports/passkeys'
import { creationOptions } from '../passkeys/creation-options.ts'
import { challengeOf, checkedCredential } from '../passkeys/passkey-check.ts'
import { requireRelyingParty } from '../passkeys/relying-party.ts'
import { BegunSignIns } from '../sign-in/begun-sign-ins.ts'
import { PasswordCheck } from '../sign-in/password-check.ts'
import { type Handlers, openOf } from './handler.ts'
import type { IdentityPorts } from './ports.ts'
import { timeText } from './session-details.ts'

const CHALLENGE_BYTES = 32
const PASSKEYS_OF_USER = 10

type Names = 'listPasskeys' | 'startPasskey' | 'addPasskey' | 'renamePasskey' | 'removePasskey'

export function ownPasskeys(ports: IdentityPorts): Handlers<Names> {
  const { records, signInTrail, clock, ids, randomBytes, branding } = ports
  const { passkeys } = records
  const passwordCheck = new PasswordCheck(ports)
  /** Users, by what their new passkey has to sign. */
  const begun = new BegunSignIns<string>(clock)

  return {
    async listPasskeys(_input, visitor) {
      return (await passkeys.list(openOf(visitor).user.userId)).map(shown)
    },

    async startPasskey({ current_password: password }, visitor) {
      const relyingParty = requireRelyingParty(ports.relyingParty)
      const open = openOf(visitor)
      await passwordCheck.requireAgain(password, open, visitor.browser)
      const { userId } = open.user
      const challenge = Buffer.from(randomBytes(CHALLENGE_BYTES)).toString('base64url')
      begun.keep(challenge, userId)
      const { email = userId, displayName = '' } = (await records.find(userId)) ?? {}
      const others = await passkeys.list(userId)
      const service = { id: relyingParty.id, name: branding.name }
      const user = { userId, email, displayName }
      return { options: creationOptions({ challenge, service, user, others }) }
    },

    async addPasskey({ name, credential }, visitor) {
      const relyingParty = requireRelyingParty(ports.relyingParty)
      const { userId } = openOf(visitor).user
      const challenge = challengeOf(credential)
      if (begun.take(challenge) !== userId) {
        throw new ServiceError('sign_in_refused', 'This took too long. Begin again.')
      }
      const key = await checkedCredential(credential, challenge, relyingParty)
      const isKnown = (await passkeys.findByCredential(key.credentialId)) !== undefined
      const { length: count } = await passkeys.list(userId)
      if (isKnown || count >= PASSKEYS_OF_USER) throw noRoom()
      const passkeyId = ids.next('pk')
      const now = clock.nowMs()
      const passkey = { ...key, passkeyId, userId, name, createdAt: now, lastUsedAt: null }
      // First, so that nobody can sign in in a way that no auditor sees.
      await signInTrail.changed({ type: 'PasskeyAdded', data: { userId, passkeyId } })
      if (!(await passkeys.add(passkey, PASSKEYS_OF_USER))) throw noRoom()
      return shown(passkey)
    },

    /** The name is a note of theirs, and no way in: no event says it. */
    async renamePasskey({ passkey_id: passkeyId, name }, visitor) {
      return { changed: await passkeys.rename(openOf(visitor).user.userId, passkeyId, name) }
    },

    async removePasskey({ passkey_id: passkeyId }, visitor) {
      const { userId } = openOf(visitor).user
      await requireOtherWay(ports, passkeyId, userId)
      const changed = await passkeys.remove(userId, passkeyId)
      if (changed)
        await signInTrail.changed({ type: 'PasskeyRemoved', data: { userId, passkeyId } })
      return { changed }
    },
  }
}

/** @throws {ServiceError} `conflict` for the last way in of somebody who has no password */
async function requireOtherWay(
  { records, provider, proxyHeader }: IdentityPorts,
  passkeyId: string,
  userId: string,
): Promise<void> {
  const { passkeys, identities } = records
  const record = await records.find(userId)
  const others = (await passkeys.list(userId)).filter((each) => each.passkeyId !== passkeyId)
  if (record?.passwordHash != null || others.length > 0 || proxyHeader !== undefined) return
  if (provider !== undefined && (await identities.isLinked(userId, provider.issuer))) return
  throw new ServiceError('conflict', 'You could not sign in any more: add another passkey first.')
}

function noRoom(): ServiceError {
  const message = `There are ${PASSKEYS_OF_USER} passkeys, or this is one of them already.`
  return new ServiceError('conflict', message)
}

function shown({ passkeyId, name, createdAt, lastUsedAt }: Passkey) {
  return {
    passkey_id: passkeyId,
    name,
    created_at: timeText(createdAt),
    last_used_at: lastUsedAt === null ? null : timeText(lastUsedAt),
  }
}
