/** A provider of OpenID Connect that lies as a test says. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

const RSA_BITS = 2048
const MS = 1_000
const LIFE_SECONDS = 60

type Claims = Readonly<Record<string, unknown>>

export interface Script {
  /** What it says of whoever signs in; over the right claims of an ID token. */
  readonly claims?: Claims
  /** Default: the key that it publishes. */
  readonly signedBy?: 'own' | 'another' | 'nobody'
  /** Of its answer to a code; default 200. */
  readonly status?: number
  /** Characters beside the tokens. */
  readonly padding?: number
}

export interface ScriptedProvider extends AsyncDisposable {
  readonly issuer: string
  /** How often a code was exchanged. */
  readonly exchanges: number
  script: Script
  /** @returns the right query to come back with from an address that somebody was sent to */
  answerTo(url: string): string
}

export async function startScriptedProvider(clientId: string): Promise<ScriptedProvider> {
  const keys = { own: newKey(), another: newKey() }
  const server = createServer((request, response) => void answer(request, response))
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const nonces = new Map<string, string>()
  let exchanges = 0
  const provider: ScriptedProvider = {
    issuer,
    get exchanges() {
      return exchanges
    },
    script: {},
    answerTo(url) {
      const asked = new URL(url).searchParams
      const code = `code-${nonces.size}`
      nonces.set(code, asked.get('nonce') ?? '')
      return `?${new URLSearchParams({ code, state: asked.get('state') ?? '' })}`
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  return provider

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path } = request
    if (path === '/.well-known/openid-configuration') send(response, 200, description())
    else if (path === '/keys') send(response, 200, { keys: [published(keys.own)] })
    else if (path === '/token') {
      exchanges += 1
      const { status = 200, padding = 0 } = provider.script
      const nonce = nonces.get(new URLSearchParams(await text(request)).get('code') ?? '')
      const tokens = { access_token: 'any', token_type: 'Bearer', id_token: idToken(nonce) }
      send(response, status, { ...tokens, padding: 'x'.repeat(padding) })
    } else send(response, 404, {})
  }

  function description() {
    return {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    }
  }

  function idToken(nonce: string | undefined): string {
    const now = Math.floor(Date.now() / MS)
    const times = { iat: now, exp: now + LIFE_SECONDS }
    const { claims, signedBy = 'own' } = provider.script
    const payload = { iss: issuer, aud: clientId, sub: 'somebody', nonce, ...times, ...claims }
    const alg = signedBy === 'nobody' ? 'none' : 'RS256'
    const signed = `${encoded({ alg, kid: 'one' })}.${encoded(payload)}`
    if (signedBy === 'nobody') return `${signed}.`
    return `${signed}.${sign('sha256', Buffer.from(signed), keys[signedBy]).toString('base64url')}`
  }
}

function newKey(): KeyObject {
  return generateKeyPairSync('rsa', { modulusLength: RSA_BITS }).privateKey
}

function published(key: KeyObject) {
  const { kty, n, e } = key.export({ format: 'jwk' })
  return { kty, n, e, kid: 'one', use: 'sig', alg: 'RS256' }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
