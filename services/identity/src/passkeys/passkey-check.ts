/** Checks what a passkey has signed against what it was asked. */
import { ServiceError } from '@svc/contracts/errors'
import type { Passkey } from '@svc/contracts/ports/passkeys'
import type { RelyingParty } from './relying-party.ts'

/** COSE numbers: Ed25519, ES256, RS256. */
export const ALGORITHMS = [-8, -7, -257]

export interface NewCredential {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
  readonly response: {
    readonly clientDataJSON: string
    readonly attestationObject: string
    readonly transports: string[]
  }
}

export interface Assertion {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
  readonly response: {
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
    readonly userHandle?: string | undefined
  }
}

/** @returns what the answer says that it was asked; nothing of it is checked yet */
export function challengeOf({
  response,
}: {
  readonly response: { readonly clientDataJSON: string }
}): string {
  try {
    const text = Buffer.from(response.clientDataJSON, 'base64url').toString('utf8')
    const { challenge } = JSON.parse(text) as { readonly challenge?: unknown }
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}

/** @throws {ServiceError} `sign_in_refused` */
export async function checkedCredential(
  credential: NewCredential,
  challenge: string,
  { id, origin }: RelyingParty,
): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'signCount' | 'transports'>> {
  try {
    const { verifyRegistrationResponse } = await loadLibrary()
    await refuseCertificates(credential)
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...credential, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified) throw new Error('it is not signed by the passkey')
    const { publicKey, counter, id: credentialId } = registrationInfo.credential
    const { transports } = credential.response
    return { credentialId, publicKey: new Uint8Array(publicKey), signCount: counter, transports }
  } catch (cause) {
    throw new ServiceError('sign_in_refused', 'This passkey cannot be used here.', { cause })
  }
}

/**
 * @returns how often the passkey has signed, as it says
 * @throws {ServiceError} `sign_in_refused`
 */
export async function checkedAssertion(
  assertion: Assertion,
  passkey: Passkey,
  challenge: string,
  { id, origin }: RelyingParty,
): Promise<number> {
  try {
    const { verifyAuthenticationResponse } = await loadLibrary()
    const { userHandle, ...response } = assertion.response
    if (userHandle !== undefined && userHandle !== userHandleOf(passkey.userId)) {
      throw new Error('it is of another user')
    }
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...assertion, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: passkey.publicKey,
        counter: passkey.signCount,
      },
    })
    if (!verified) throw new Error('it is not signed by the passkey')
    return authenticationInfo.newCounter
  } catch (cause) {
    throw passkeyRefused(cause)
  }
}

/** Gives one answer for all that can be wrong. */
export function passkeyRefused(cause?: unknown): ServiceError {
  return new ServiceError('sign_in_refused', 'This passkey opens nothing here.', { cause })
}

/** Makes the handle that a passkey keeps of its user: it tells nobody who that is. */
export function userHandleOf(userId: string): string {
  return Buffer.from(userId).toString('base64url')
}

/**
 * Loads the library when it is first used: its readers of certificates cost memory that most
 * servers never need.
 */
function loadLibrary() {
  return import('@simplewebauthn/server')
}

/**
 * We ask for no certificate of the maker, and look at none: to check one the library would fetch
 * addresses that the certificate names.
 */
async function refuseCertificates({ response }: NewCredential): Promise<void> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers')
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject))
  const format = attestation.get('fmt')
  const isBare = format === 'packed' && attestation.get('attStmt').get('x5c') === undefined
  if (format !== 'none' && !isBare) throw new Error(`it comes with a certificate (${format})`)
}
