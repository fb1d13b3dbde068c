/** A certified provider of OpenID Connect in this process, and a person who signs in there. */
import { generateKeyPairSync } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
// @ts-expect-error: it has no types.
import Provider from 'oidc-provider'

const RSA_BITS = 2048
const STEPS_MAX = 12

export interface Person {
  readonly email: string
  readonly email_verified?: boolean
  readonly name?: string
}

export interface RealProvider extends AsyncDisposable {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

/** @param people by the name with which they sign in there, which is their subject too */
export async function startRealProvider(
  returnUrl: string,
  people: Readonly<Record<string, Person>>,
): Promise<RealProvider> {
  const server = createServer()
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const [clientId, clientSecret] = ['svc', 'a secret of the client']
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: RSA_BITS })
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [returnUrl] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_context: unknown, accountId: string) => {
      const claims = { sub: accountId, ...people[accountId] }
      return { accountId, claims: async () => claims }
    },
    pkce: { required: () => true },
    cookies: { keys: ['of the test'] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' }] },
    features: { devInteractions: { enabled: true } },
  })
  server.on('request', provider.callback() as RequestListener)
  return {
    issuer,
    clientId,
    clientSecret,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/**
 * Signs in at the provider as a browser would, and agrees to what is asked.
 *
 * @returns the query with which the provider sends the browser back
 */
export async function signInAtProvider(
  url: string,
  { person, returnUrl }: { readonly person: string; readonly returnUrl: string },
): Promise<string> {
  const cookies = new Map<string, string>()
  let next: Step = { at: url }
  for (let step = 0; step < STEPS_MAX && !next.at.startsWith(returnUrl); step += 1) {
    next = await take(next, cookies, person)
  }
  if (next.at.startsWith(returnUrl)) return new URL(next.at).search
  throw new Error(`not back after ${STEPS_MAX} steps, but at ${next.at}`)
}

interface Step {
  readonly at: string
  /** Of a form that is sent. */
  readonly form?: URLSearchParams
}

async function take(
  { at, form }: Step,
  cookies: Map<string, string>,
  person: string,
): Promise<Step> {
  const answer = await fetch(at, {
    redirect: 'manual',
    headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    ...(form === undefined ? {} : { method: 'POST', body: form }),
  })
  for (const set of answer.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
    cookies.set(name, value)
  }
  const text = await answer.text()
  const location = answer.headers.get('location')
  if (location !== null) return { at: new URL(location, at).href }
  const [, action] = /<form[^>]* action="([^"]+)"/.exec(text) ?? []
  if (action === undefined) throw new Error(`${answer.status} without a form: ${text}`)
  const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(text) ?? []
  const fields = new URLSearchParams({ prompt, login: person, password: 'any' })
  return { at: new URL(action, at).href, form: fields }
}
