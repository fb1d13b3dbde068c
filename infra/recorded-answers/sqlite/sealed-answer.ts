/**
 * An answer as it lies on the disk: AES-256-GCM over its JSON.
 *
 *     nonce (12 bytes) ‖ tag (16 bytes) ‖ ciphertext
 *
 * Account and request are authenticated with it: a row that was copied to another account's request
 * does not open. A random nonce is safe for 2³² answers under one key, more than are ever kept.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { RecordedAnswer } from '@svc/contracts/recorded-answers'

const ALGORITHM = 'aes-256-gcm'
export const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Whose answer it is. */
export interface AnswerOwner {
  readonly accountId: string
  readonly requestId: string
}

export function sealAnswer(key: Buffer, owner: AnswerOwner, answer: RecordedAnswer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(associatedData(owner))
  const { status, contentType, body } = answer
  const text = JSON.stringify({ status, contentType, body })
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** @returns undefined when key or owner are others, or a bit was changed */
export function openAnswer(
  key: Buffer,
  owner: AnswerOwner,
  bytes: Uint8Array,
): RecordedAnswer | undefined {
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const sealed = bytes.subarray(NONCE_BYTES + TAG_BYTES)
  try {
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(associatedData(owner))
      .setAuthTag(tag)
    const text = Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8')
    // The tag says that this program wrote it: its shape needs no further check.
    return JSON.parse(text) as RecordedAnswer
  } catch {
    return undefined
  }
}

function associatedData({ accountId, requestId }: AnswerOwner): Buffer {
  return Buffer.from(JSON.stringify([accountId, requestId]))
}
