/**
 * Ways to sign in to the dashboard beside the password: an identity provider, and the header of a
 * trusted proxy. What would let in whom nobody meant to let in stops the start.
 */
import { oneOf, text } from '@svc/worker/settings/worker-variables'
import { z } from 'zod'

const NAME_CHARACTERS_MAX = 100
const LABEL_CHARACTERS_MAX = 40
/** A broader network holds addresses of strangers. */
const PROXY_BITS_MIN = 8
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

const shortText = text.max(NAME_CHARACTERS_MAX)

const issuer = z
  .url({ protocol: /^https?$/, error: 'must be such as https://login.example.com' })
  .refine((address) => isProtected(address) && !/[?#]/.test(address), 'must be an https address')

export const signInVariables = {
  /**
   * The issuer of a provider of OpenID Connect. Whoever sets it sets the name of the client too.
   */
  SVC_OIDC_ISSUER: issuer.optional(),
  SVC_OIDC_CLIENT_ID: shortText.optional(),
  SVC_OIDC_CLIENT_SECRET: text.max(1_000).optional(),
  /** What the button says. */
  SVC_OIDC_LABEL: text.max(LABEL_CHARACTERS_MAX).default('single sign-on'),
  /** The claims in which the provider says who somebody is. */
  SVC_OIDC_EMAIL_CLAIM: shortText.default('email'),
  SVC_OIDC_NAME_CLAIM: shortText.default('name'),
  /** Whether addresses count that the provider does not call verified. */
  SVC_OIDC_TRUST_EMAILS: oneOf(['on', 'off']).default('off'),
  /**
   * The header in which the proxies of `SVC_TRUSTED_PROXIES` say the e-mail address of who is
   * there.
   */
  SVC_PROXY_USER_HEADER: z
    .string()
    .toLowerCase()
    .regex(/^[a-z][a-z0-9-]{2,99}$/, 'must be the name of a header, such as X-Forwarded-Email')
    .optional(),
}

/** Headers with a meaning of their own, which requests from anywhere have. */
const takenHeaders: ReadonlySet<string> = new Set([
  ...['accept', 'authorization', 'connection', 'content-length', 'content-type', 'cookie', 'date'],
  ...['forwarded', 'from', 'host', 'idempotency-key', 'origin', 'referer', 'te', 'upgrade'],
  ...['user-agent', 'via', 'x-api-key', 'x-forwarded-for', 'x-forwarded-host', 'x-request-id'],
  ...['x-forwarded-proto', 'x-svc-dashboard'],
])

interface SignInSettings {
  readonly SVC_DASHBOARD: 'on' | 'off'
  readonly SVC_PUBLIC_URL?: string | undefined
  readonly SVC_TRUSTED_PROXIES?: readonly string[] | undefined
  readonly SVC_OIDC_ISSUER?: string | undefined
  readonly SVC_OIDC_CLIENT_ID?: string | undefined
  readonly SVC_OIDC_CLIENT_SECRET?: string | undefined
  readonly SVC_PROXY_USER_HEADER?: string | undefined
}

/** What is wrong with them together, in one line; undefined: nothing. */
export function signInProblem(settings: SignInSettings): string | undefined {
  return providerProblem(settings) ?? proxyProblem(settings)
}

function providerProblem(settings: SignInSettings): string | undefined {
  const { SVC_OIDC_ISSUER: issuer, SVC_OIDC_CLIENT_ID: clientId } = settings
  const { SVC_OIDC_CLIENT_SECRET: clientSecret, SVC_PUBLIC_URL: publicUrl } = settings
  if (issuer === undefined) {
    const isAnySet = clientId !== undefined || clientSecret !== undefined
    return isAnySet ? 'SVC_OIDC_ISSUER: is missing: whose client it is' : undefined
  }
  if (clientId === undefined) return 'SVC_OIDC_CLIENT_ID: is missing: as SVC_OIDC_ISSUER knows it'
  if (settings.SVC_DASHBOARD === 'off') return 'SVC_OIDC_ISSUER: needs SVC_DASHBOARD=on'
  if (publicUrl === undefined) {
    return 'SVC_PUBLIC_URL: is missing: where SVC_OIDC_ISSUER sends browsers back to'
  }
  return isProtected(publicUrl)
    ? undefined
    : 'SVC_PUBLIC_URL: must be an https address where SVC_OIDC_ISSUER sends browsers back to it'
}

function proxyProblem(settings: SignInSettings): string | undefined {
  const { SVC_PROXY_USER_HEADER: header, SVC_TRUSTED_PROXIES: proxies = [] } = settings
  if (header === undefined) return undefined
  if (settings.SVC_DASHBOARD === 'off') return 'SVC_PROXY_USER_HEADER: needs SVC_DASHBOARD=on'
  if (takenHeaders.has(header)) return `SVC_PROXY_USER_HEADER: ${header} has another meaning`
  if (proxies.length === 0) {
    return 'SVC_TRUSTED_PROXIES: is missing: without it anybody could send SVC_PROXY_USER_HEADER'
  }
  const broad = proxies.find(isBroad)
  if (broad === undefined) return undefined
  return `SVC_TRUSTED_PROXIES: ${broad} would let strangers send SVC_PROXY_USER_HEADER`
}

function isBroad(network: string): boolean {
  const bits = network.split('/')[1]
  return bits !== undefined && Number(bits) < PROXY_BITS_MIN
}

/** Whether TLS protects what is sent there, or it never leaves this machine. */
function isProtected(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && (url.protocol === 'https:' || LOOPBACK.test(url.hostname))
}
