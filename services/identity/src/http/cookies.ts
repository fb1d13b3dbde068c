/** The cookie that a session is carried in. */
import type { SessionRequest } from '@svc/contracts/ports/account-sessions'

/** Browsers take such a name only over TLS, for this very host, and for all its paths. */
const SECURE_NAME = '__Host-svc'
const PLAIN_NAME = 'svc'

/** @param isSecure whether the browser reached us over TLS */
function nameFor(isSecure: boolean): string {
  return isSecure ? SECURE_NAME : PLAIN_NAME
}

/** @returns undefined without one, and when two are there: one of them was planted */
export function sessionToken(
  { cookie }: SessionRequest['headers'],
  isSecure: boolean,
): string | undefined {
  const prefix = `${nameFor(isSecure)}=`
  const found = (typeof cookie === 'string' ? cookie : '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
  return found.length === 1 ? found[0]?.slice(prefix.length) : undefined
}

/** @param token null takes the cookie away */
export function sessionCookie(token: string | null, isSecure: boolean): string {
  return [
    `${nameFor(isSecure)}=${token ?? ''}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
    ...(token === null ? ['Max-Age=0'] : []),
  ].join('; ')
}
