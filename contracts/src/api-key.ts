/**
 * The secret of an API key: `sk-svc-<account part>-<random part><check>`.
 *
 * It names its account, so that authentication reads one account, which the gateway needs anyway.
 */
import { idOfSecret, makeCheckedSecret, type SecretFormat } from './checked-secret.ts'

const format: SecretFormat = { prefix: 'sk-svc-', idKind: 'acct' }

/**
 * @param random at least `SECRET_RANDOM_BYTES` bytes from a cryptographic source
 * @throws {RangeError} when there are fewer: a short secret could be guessed
 */
export function makeSecret(accountId: string, random: Uint8Array): string {
  return makeCheckedSecret(format, accountId, random)
}

/** The account that a secret names, or `undefined` when the text is not a well-formed secret. */
export function accountOfSecret(text: string): string | undefined {
  return idOfSecret(format, text)
}
