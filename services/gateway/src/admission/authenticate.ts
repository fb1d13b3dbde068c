/**
 * Whose request this is: a key in `Authorization: Bearer` or in `x-api-key`, on every route alike.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '@svc/contracts/errors'
import type { Caller, Ledger } from '@svc/ledger/ledger'

const BEARER = /^bearer ([\x21-\x7e]{1,256})$/i
const PLAIN = /^[\x21-\x7e]{1,256}$/

/**
 * No key and every kind of wrong key get one and the same answer, so that nobody learns which keys
 * exist or existed.
 *
 * @throws {ServiceError} `invalid_api_key`
 */
export async function authenticate(
  ledger: Pick<Ledger, 'authenticate'>,
  headers: IncomingHttpHeaders,
): Promise<Caller> {
  const secret = secretOf(headers)
  if (secret === undefined) throw invalidKey()
  try {
    return await ledger.authenticate(secret)
  } catch (cause) {
    throw asCallersError(cause)
  }
}

/** A key that is refused later, because it was revoked meanwhile, gets the very same answer. */
export function asCallersError(cause: unknown): unknown {
  return cause instanceof ServiceError && cause.code === 'invalid_api_key' ? invalidKey() : cause
}

/** The key that was sent, in one of the two headers; undefined when none can be one. */
export function secretOf(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers
  if (authorization !== undefined) return BEARER.exec(authorization)?.[1]
  const key = headers['x-api-key']
  return typeof key === 'string' && PLAIN.test(key) ? key : undefined
}

function invalidKey(): ServiceError {
  return new ServiceError(
    'invalid_api_key',
    'No valid API key was given. Send one as "Authorization: Bearer sk-svc-…" or as "x-api-key".',
  )
}
