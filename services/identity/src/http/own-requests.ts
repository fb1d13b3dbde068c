/**
 * Whether a request comes from a page of ours. A browser sends the cookie of a session along with
 * requests that other pages make it send: those change nothing.
 */
import { DASHBOARD_HEADER } from '@svc/contracts/dashboard/declaration'
import { ServiceError } from '@svc/contracts/errors'
import type { SessionRequest } from '@svc/contracts/ports/account-sessions'
import type { OwnAddress } from '../operations/ports.ts'

type Reached = Pick<SessionRequest, 'protocol' | 'host' | 'headers' | 'method'>

/** Whether the browser reached us over TLS. */
export function isSecure({ publicUrl }: OwnAddress, { protocol }: Reached): boolean {
  return protocol === 'https' || publicUrl?.startsWith('https://') === true
}

/**
 * Refuses what another origin sent. Whatever is not a GET needs the header that no page of another
 * origin can send without asking first, and both headers by which browsers tell where a request
 * comes from.
 *
 * @throws {ServiceError} `not_allowed`
 */
export function refuseForeign(address: OwnAddress, request: Reached): void {
  const { headers, method } = request
  if (method === 'GET' || method === 'HEAD') return
  const { origin, 'sec-fetch-site': site } = headers
  const isOurs =
    headers[DASHBOARD_HEADER] === '1' &&
    (site === undefined || site === 'same-origin') &&
    (origin === undefined ? site !== undefined : isOwnOrigin(address, request, origin))
  if (isOurs) return
  const message =
    'This was not sent by a page of this service. ' +
    `Such requests need "${DASHBOARD_HEADER}: 1" and the origin of the service.`
  throw new ServiceError('not_allowed', message)
}

function isOwnOrigin(
  { publicUrl }: OwnAddress,
  { protocol, host }: Reached,
  origin: string | string[],
): boolean {
  if (origin === `${protocol}://${host}`) return true
  return publicUrl !== undefined && origin === new URL(publicUrl).origin
}
