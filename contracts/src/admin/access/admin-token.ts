/**
 * The secret of an admin token: `svc-admin-<token part>-<random part><check>`. Like an API key's,
 * but no API key can be mistaken for one, nor the other way round.
 */
import { idOfSecret, makeCheckedSecret, type SecretFormat } from '../../checked-secret.ts'

const format: SecretFormat = { prefix: 'svc-admin-', idKind: 'tok' }

/**
 * @param random at least `SECRET_RANDOM_BYTES` bytes from a cryptographic source
 * @throws {RangeError} when there are fewer: a short secret could be guessed
 */
export function makeAdminSecret(tokenId: string, random: Uint8Array): string {
  return makeCheckedSecret(format, tokenId, random)
}

/** The token that a secret names, or `undefined` when the text is not a well-formed secret. */
export function tokenOfSecret(text: string): string | undefined {
  return idOfSecret(format, text)
}
