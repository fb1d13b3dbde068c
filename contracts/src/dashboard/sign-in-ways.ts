/**
 * Ways to sign in beside the password: an identity provider (OpenID Connect), passkeys (WebAuthn),
 * and what a trusted proxy says.
 */
import { z } from 'zod'
import { id, name, nothing } from '../admin/declaration/fields.ts'
import { dashboardOperation } from './declaration.ts'
import { givenPassword, linkSecret, session } from './session.ts'

/**
 * The page to which the provider sends the browser back: it passes the query on to
 * `finishProviderSignIn`, so that no GET changes anything.
 */
export const PROVIDER_RETURN_PATH = '/dashboard/sign-in/return'

const PROVIDER_ANSWER_CHARACTERS_MAX = 8_192
const CREDENTIAL_CHARACTERS_MAX = 2_000
const CLIENT_DATA_CHARACTERS_MAX = 4_000
const SIGNED_CHARACTERS_MAX = 8_000
const TRANSPORTS_MAX = 8
const TRANSPORT_CHARACTERS_MAX = 32

const base64url = (max: number) =>
  z
    .string()
    .regex(/^[\w-]*$/)
    .max(max)
const credentialId = base64url(CREDENTIAL_CHARACTERS_MAX)
const clientData = base64url(CLIENT_DATA_CHARACTERS_MAX)
const signed = base64url(SIGNED_CHARACTERS_MAX)
const transport = z
  .string()
  .regex(/^[a-z-]+$/)
  .max(TRANSPORT_CHARACTERS_MAX)

/** Users who have a password are asked for it before a way to sign in is added. */
const again = { current_password: givenPassword.optional() }

/** A browser's answer as WebAuthn has it; what is not listed is dropped. */
const credential = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
}
const newCredential = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: clientData,
    attestationObject: signed,
    transports: z.array(transport).max(TRANSPORTS_MAX).default([]),
  }),
})
const assertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: clientData,
    authenticatorData: signed,
    signature: signed,
    userHandle: base64url(CREDENTIAL_CHARACTERS_MAX).optional(),
  }),
})

/**
 * Options as WebAuthn has them, for `navigator.credentials`. Their challenge works once, for
 * minutes.
 */
const creationOptions = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number() })),
  timeout: z.int(),
  excludeCredentials: z.array(z.object({ id: z.string(), type: z.literal('public-key') })),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
})
const requestOptions = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.int(),
  userVerification: z.literal('required'),
})

const passkey = z.object({
  passkey_id: z.string(),
  name: z.string(),
  created_at: z.string(),
  /** Null means never. */
  last_used_at: z.string().nullable(),
})

export const signInWayOperations = {
  startProviderSignIn: dashboardOperation({
    method: 'POST',
    path: '/session/provider/start',
    access: 'anybody',
    summary: 'Where the identity provider signs this browser in',
    input: z.strictObject({
      /** The secret of an invitation: whom the provider names joins by it. */
      link_secret: linkSecret.optional(),
    }),
    output: z.object({ url: z.string() }),
  }),
  finishProviderSignIn: dashboardOperation({
    method: 'POST',
    path: '/session/provider/finish',
    access: 'anybody',
    summary: 'Sign in, join or link with what the identity provider answered this browser',
    input: z.strictObject({
      /** The query with which the provider sent the browser back, from its `?` on. */
      answer: z.string().startsWith('?').max(PROVIDER_ANSWER_CHARACTERS_MAX),
    }),
    output: session,
  }),
  startProviderLink: dashboardOperation({
    method: 'POST',
    path: '/provider/link',
    access: 'signed-in',
    summary: 'Where the identity provider says whom of theirs to link to the user',
    input: z.strictObject(again),
    output: z.object({ url: z.string() }),
  }),
  unlinkProvider: dashboardOperation({
    method: 'POST',
    path: '/provider/unlink',
    access: 'signed-in',
    summary: 'Sign in by the identity provider no more; refused when there is no other way',
    input: nothing,
    output: session,
  }),
  signInByProxy: dashboardOperation({
    method: 'POST',
    path: '/session/proxy',
    access: 'anybody',
    summary: 'Sign in as whom the trusted proxy names in its header',
    input: nothing,
    output: session,
  }),
  startPasskeySignIn: dashboardOperation({
    method: 'POST',
    path: '/session/passkey/start',
    access: 'anybody',
    summary: 'What a passkey has to sign',
    input: nothing,
    output: z.object({ options: requestOptions }),
  }),
  signInByPasskey: dashboardOperation({
    method: 'POST',
    path: '/session/passkey',
    access: 'anybody',
    summary: 'Sign in with what a passkey has signed',
    input: z.strictObject({ credential: assertion }),
    output: session,
  }),
  listPasskeys: dashboardOperation({
    method: 'GET',
    path: '/passkeys',
    access: 'signed-in',
    summary: 'The passkeys of the user, the oldest first',
    input: nothing,
    output: z.array(passkey),
  }),
  startPasskey: dashboardOperation({
    method: 'POST',
    path: '/passkeys/start',
    access: 'signed-in',
    summary: 'What a new passkey has to sign',
    input: z.strictObject(again),
    output: z.object({ options: creationOptions }),
  }),
  addPasskey: dashboardOperation({
    method: 'POST',
    path: '/passkeys',
    access: 'signed-in',
    summary: 'Keep a new passkey, which has signed',
    input: z.strictObject({ name, credential: newCredential }),
    output: passkey,
  }),
  renamePasskey: dashboardOperation({
    method: 'POST',
    path: '/passkeys/:passkey_id/rename',
    access: 'signed-in',
    summary: 'Give a passkey another name',
    input: z.strictObject({ passkey_id: id, name }),
    output: z.object({ changed: z.boolean() }),
  }),
  removePasskey: dashboardOperation({
    method: 'POST',
    path: '/passkeys/:passkey_id/remove',
    access: 'signed-in',
    summary: 'Sign in with a passkey no more; refused when there is no other way',
    input: z.strictObject({ passkey_id: id }),
    output: z.object({ changed: z.boolean() }),
  }),
}
