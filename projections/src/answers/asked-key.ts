/** A key as callers name it in a question about one account. */
import { ServiceError } from '@svc/contracts/errors'
import type { Views } from '../views/views.ts'

/**
 * A mistyped key, and that of somebody else, would be answered with nothing at all, as if it had
 * used nothing.
 *
 * @param keyId undefined: the question is about all keys
 * @throws {ServiceError} `not_found` that names the field, unless the account has or had the key
 */
export function checkAskedKey(
  views: Pick<Views, 'key'>,
  accountId: string,
  keyId: string | undefined,
): void {
  if (keyId === undefined || views.key(keyId)?.accountId === accountId) return
  const message = `The account has no key ${keyId}.`
  throw new ServiceError('not_found', message, { param: 'key_id' })
}
