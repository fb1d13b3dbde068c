/**
 * Whom a proxy in front of the server has signed in, as a header of its requests says. Anybody can
 * send the header: it counts only when the connection itself comes from a proxy that is trusted,
 * whatever `X-Forwarded-For` says.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { SessionRequest } from '@svc/contracts/ports/account-sessions'
import { EMAIL_ADDRESS, EMAIL_CHARACTERS_MAX } from '@svc/contracts/ports/user-records'

/** A header with one of these names several people, or somebody otherwise than by the address. */
const SEPARATORS = /[',;]/

export interface ProxyHeader {
  /** The name of the header in lower case. */
  readonly name: string
  /** Whether an address is that of a proxy whose header counts. */
  isTrusted(address: string): boolean
}

/** @returns the e-mail address in lower case; undefined when nobody is named who can be believed */
export function proxyEmailOf(
  header: ProxyHeader | undefined,
  { headers, socket }: Pick<SessionRequest, 'headers' | 'socket'>,
): string | undefined {
  if (header === undefined) return undefined
  const { remoteAddress = '' } = socket
  const value = headers[header.name]
  if (typeof value !== 'string' || !header.isTrusted(remoteAddress)) return undefined
  const email = value.trim().toLowerCase()
  const isAddress = EMAIL_ADDRESS.test(email) && !SEPARATORS.test(email)
  return isAddress && email.length <= EMAIL_CHARACTERS_MAX ? email : undefined
}

/**
 * A header that somebody sent around the proxy: then the proxy can be gone around, and the caller
 * is told so at the sign-in.
 *
 * @throws {ServiceError} `not_allowed`
 */
export function refuseUntrusted(
  header: ProxyHeader | undefined,
  { headers, socket }: Pick<SessionRequest, 'headers' | 'socket'>,
): void {
  if (header === undefined || headers[header.name] === undefined) return
  if (header.isTrusted(socket.remoteAddress ?? '')) return
  throw new ServiceError('not_allowed', 'Only the proxy of this service may send this header.')
}
