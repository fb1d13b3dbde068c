/** The cookies of the dashboard: of a session, and of a sign-in that was begun elsewhere. */
import type { SessionRequest } from '@svc/contracts/ports/account-sessions'

/** Browsers take such a name only over TLS, for this very host, and for all its paths. */
const SECURE_NAME = '__Host-svc'
const PLAIN_NAME = 'svc'
const BEGUN_SUFFIX = '-begun'
const BEGUN_SECONDS = 600

/** @param isSecure whether the browser reached us over TLS */
function nameFor(isSecure: boolean): string {
  return isSecure ? SECURE_NAME : PLAIN_NAME
}

/** @returns undefined without one, and when two are there: one of them was planted */
export function sessionToken(
  { cookie }: SessionRequest['headers'],
  isSecure: boolean,
): string | undefined {
  return cookieValue(cookie, nameFor(isSecure))
}

/** Reads the mark of a sign-in that this browser began, as {@link sessionToken} reads its token. */
export function begunMark(
  { cookie }: SessionRequest['headers'],
  isSecure: boolean,
): string | undefined {
  return cookieValue(cookie, `${nameFor(isSecure)}${BEGUN_SUFFIX}`)
}

function cookieValue(cookie: string | string[] | undefined, name: string): string | undefined {
  const prefix = `${name}=`
  const found = (typeof cookie === 'string' ? cookie : '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
  return found.length === 1 ? found[0]?.slice(prefix.length) : undefined
}

/** @param token null takes the cookie away */
export function sessionCookie(token: string | null, isSecure: boolean): string {
  return cookieText(nameFor(isSecure), token, isSecure, [])
}

/** @param mark null takes the cookie away */
export function begunCookie(mark: string | null, isSecure: boolean): string {
  const life = [`Max-Age=${BEGUN_SECONDS}`]
  return cookieText(`${nameFor(isSecure)}${BEGUN_SUFFIX}`, mark, isSecure, life)
}

function cookieText(
  name: string,
  value: string | null,
  isSecure: boolean,
  life: readonly string[],
): string {
  return [
    `${name}=${value ?? ''}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
    ...(value === null ? ['Max-Age=0'] : life),
  ].join('; ')
}
