import { ServiceError } from '@svc/contracts/errors'

/**
 * The party whose passkeys are taken: a browser gives a passkey to the name that it was made for
 * only.
 */
export interface RelyingParty {
  /** The host name of the service. */
  readonly id: string
  /** The origin of the pages, such as `https://api.example.com`. */
  readonly origin: string
}

/** A browser gives a person this long to use a passkey, or to make one. */
export const PASSKEY_TIMEOUT_MS = 5 * 60_000

const ADDRESS = /^[\d.]+$|^\[/

/**
 * Finds the party by what the operator says alone: what a request says of its host, somebody else
 * may have said.
 *
 * @returns undefined where browsers have no passkeys: without TLS, and for addresses
 */
export function relyingPartyOf(publicUrl: string | undefined): RelyingParty | undefined {
  if (publicUrl === undefined) return undefined
  const { hostname, origin, protocol } = new URL(publicUrl)
  if (ADDRESS.test(hostname)) return undefined
  return protocol === 'https:' || hostname === 'localhost' ? { id: hostname, origin } : undefined
}

/** @throws {ServiceError} `not_allowed` where there are no passkeys */
export function requireRelyingParty(relyingParty: RelyingParty | undefined): RelyingParty {
  if (relyingParty !== undefined) return relyingParty
  const message = 'Passkeys need a server whose operator has set its https address.'
  throw new ServiceError('not_allowed', message)
}
