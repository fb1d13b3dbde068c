/**
 * A provider of OpenID Connect, by the authorization code flow with PKCE, state and nonce. The
 * signature of the ID token is checked against the keys that the provider publishes.
 */
import { ServiceError } from '@svc/contracts/errors'
import { EMAIL_ADDRESS, EMAIL_CHARACTERS_MAX } from '@svc/contracts/ports/user-records'
import { printable } from '@svc/contracts/printable'
import * as client from 'openid-client'
import type { IdentityProvider, ProviderQuestion, ProviderUser } from './identity-provider.ts'
import { boundedFetch, isProviderAway } from './provider-fetch.ts'

/** The clocks of the two may be this far apart. */
const CLOCK_TOLERANCE_SECONDS = 60
const REQUEST_SECONDS = 10
const SCOPE = 'openid email profile'
const RETRY_SECONDS = 5
const SUBJECT_CHARACTERS_MAX = 255
const NAME_CHARACTERS_MAX = 200

export interface OpenIdSettings {
  readonly issuer: string
  readonly clientId: string
  /** Is undefined for a public client, which PKCE alone protects. */
  readonly clientSecret: string | undefined
  readonly label: string
  readonly emailClaim: string
  readonly nameClaim: string
  /** Whether addresses count that the provider does not call verified. */
  readonly trustEmails: boolean
  /** The URL to which the provider sends the browser back. */
  readonly returnUrl: string
  /** Is told of every sign-in that failed, and of a provider that does not answer. */
  readonly onTrouble: (cause: unknown) => void
}

type Claims = Readonly<Record<string, unknown>>

export class OpenIdProvider implements IdentityProvider {
  readonly label: string
  readonly issuer: string
  readonly #settings: OpenIdSettings
  /** The provider's configuration. It is asked for once, and again when that failed. */
  #found: Promise<client.Configuration> | undefined

  constructor(settings: OpenIdSettings) {
    this.label = settings.label
    this.issuer = new URL(settings.issuer).href
    this.#settings = settings
  }

  async addressFor({ state, nonce, verifier }: ProviderQuestion): Promise<string> {
    try {
      const url = client.buildAuthorizationUrl(await this.#configuration(), {
        redirect_uri: this.#settings.returnUrl,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return url.href
    } catch (cause) {
      // A description of itself that cannot be used is no better than none.
      throw this.#away(cause)
    }
  }

  async userOf(answer: string, question: ProviderQuestion): Promise<ProviderUser> {
    const { returnUrl } = this.#settings
    try {
      const configuration = await this.#configuration()
      const tokens = await client.authorizationCodeGrant(
        configuration,
        new URL(returnUrl + answer),
        {
          expectedState: question.state,
          expectedNonce: question.nonce,
          pkceCodeVerifier: question.verifier,
          idTokenExpected: true,
        },
      )
      const claims = tokens.claims()
      if (claims === undefined) throw new Error('there is no ID token')
      return this.#userOf(await this.#withUserInfo(configuration, tokens.access_token, claims))
    } catch (cause) {
      if (isProviderAway(cause)) throw this.#away(cause)
      this.#settings.onTrouble(cause)
      throw new ServiceError('sign_in_refused', `${this.label} did not sign you in. Try again.`, {
        cause,
      })
    }
  }

  /**
   * Adds the user info. Many providers put who somebody is there, and into the ID token the subject
   * alone.
   */
  async #withUserInfo(
    configuration: client.Configuration,
    accessToken: string,
    claims: Claims & { readonly sub: string },
  ): Promise<Claims> {
    const hasEmail = claims[this.#settings.emailClaim] !== undefined
    if (hasEmail || configuration.serverMetadata().userinfo_endpoint === undefined) return claims
    return { ...(await client.fetchUserInfo(configuration, accessToken, claims.sub)), ...claims }
  }

  #userOf(claims: Claims): ProviderUser {
    const { sub: subject, email_verified: verified } = claims
    const { emailClaim, nameClaim, trustEmails } = this.#settings
    if (typeof subject !== 'string' || subject === '' || subject.length > SUBJECT_CHARACTERS_MAX) {
      throw new Error('the subject cannot be used')
    }
    // Some providers send the flag as text.
    const isTheirs = trustEmails || verified === true || verified === 'true'
    const email = textOf(claims[emailClaim])?.toLowerCase()
    const name = textOf(claims[nameClaim])
    // It can become the name of an account. One that is typed may hold no such characters.
    const displayName = name && printable(name).slice(0, NAME_CHARACTERS_MAX)
    const isAddress = email !== undefined && email.length <= EMAIL_CHARACTERS_MAX
    return {
      issuer: this.issuer,
      subject,
      email: isTheirs && isAddress && EMAIL_ADDRESS.test(email) ? email : undefined,
      displayName,
    }
  }

  #configuration(): Promise<client.Configuration> {
    this.#found ??= this.#discover().catch((cause: unknown) => {
      this.#found = undefined
      throw cause
    })
    return this.#found
  }

  #discover(): Promise<client.Configuration> {
    const { clientId, clientSecret } = this.#settings
    const issuer = new URL(this.issuer)
    const checks = [client.enableNonRepudiationChecks]
    return client.discovery(
      issuer,
      clientId,
      { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      clientSecret === undefined ? client.None() : secretInWhatItTakes(clientSecret),
      {
        timeout: REQUEST_SECONDS,
        [client.customFetch]: boundedFetch,
        // The settings allow it on the loopback alone.
        execute: issuer.protocol === 'http:' ? [client.allowInsecureRequests, ...checks] : checks,
      },
    )
  }

  #away(cause: unknown): ServiceError {
    this.#settings.onTrouble(cause)
    const message = `${this.label} does not answer. Try again, or sign in another way.`
    const details = { cause, retryAfterSeconds: RETRY_SECONDS }
    return new ServiceError('provider_unavailable', message, details)
  }
}

/**
 * Sends the secret as a header, which is the default of the standard, unless the provider takes a
 * field only.
 */
function secretInWhatItTakes(secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (taken.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? undefined : text
}
