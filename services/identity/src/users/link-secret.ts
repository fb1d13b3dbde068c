/** The secret of a link: `svc-link-<link part>-<random part><check>`, and of nothing else. */
import { idOfSecret, makeCheckedSecret, type SecretFormat } from '@svc/contracts/checked-secret'

const format: SecretFormat = { prefix: 'svc-link-', idKind: 'link' }

/** @param random at least `SECRET_RANDOM_BYTES` bytes from a cryptographic source */
export function makeLinkSecret(linkId: string, random: Uint8Array): string {
  return makeCheckedSecret(format, linkId, random)
}

/** The link that a secret names, or `undefined` when the text is not a well-formed secret. */
export function linkOfSecret(text: string): string | undefined {
  return idOfSecret(format, text)
}
