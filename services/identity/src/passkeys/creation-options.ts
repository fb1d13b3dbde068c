/** Makes the options that a browser makes a passkey of, as WebAuthn has them. */
import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import type { Passkey } from '@svc/contracts/ports/passkeys'
import type { UserRecord } from '@svc/contracts/ports/user-records'
import { ALGORITHMS, userHandleOf } from './passkey-check.ts'
import { PASSKEY_TIMEOUT_MS } from './relying-party.ts'

export interface Asked {
  readonly challenge: string
  /** The relying party: its host name, and what people call it. */
  readonly service: { readonly id: string; readonly name: string }
  readonly user: Pick<UserRecord, 'userId' | 'email' | 'displayName'>
  /** The passkeys that the user has: an authenticator makes no second one. */
  readonly others: readonly Passkey[]
}

/** A passkey that can be found without a name, and that knows its user by a PIN or a finger. */
export function creationOptions({
  challenge,
  service,
  user: { userId, email, displayName },
  others,
}: Asked): DashboardOutput<'startPasskey'>['options'] {
  return {
    challenge,
    rp: service,
    user: { id: userHandleOf(userId), name: email, displayName },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: PASSKEY_TIMEOUT_MS,
    excludeCredentials: others.map(({ credentialId: id }) => ({ id, type: 'public-key' })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  }
}
