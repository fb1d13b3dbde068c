/**
 * A text as it lies on the disk: AES-256-GCM over its UTF-8.
 *
 *     nonce (12 bytes) ‖ tag (16 bytes) ‖ ciphertext
 *
 * Whose text it is, is authenticated with it: a row that was copied to another place does not open.
 * A random nonce is safe for 2³² texts under one key, more than are ever kept.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
export const SEAL_KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** @param owner names the place of the text, such as account and request */
export function sealText(key: Buffer, owner: readonly string[], text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(associatedData(owner))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** @returns undefined when key or owner are others, or a bit was changed */
export function openText(
  key: Buffer,
  owner: readonly string[],
  bytes: Uint8Array,
): string | undefined {
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const sealed = bytes.subarray(NONCE_BYTES + TAG_BYTES)
  try {
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(associatedData(owner))
      .setAuthTag(tag)
    return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

function associatedData(owner: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(owner))
}
