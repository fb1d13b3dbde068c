/**
 * A block as it lies in Redis: AES-256-GCM, because the token ids in it are the prompt itself, and
 * because a native loader is fed with the rest, so not a bit may be another's.
 *
 *     version (1 byte) ‖ nonce (12) ‖ tag (16) ‖ ciphertext of
 *         has a parent (1) ‖ parent (16) ‖ tokens (1) ‖ token ids ‖ keys and values
 *
 * There is room for the token ids of the largest block, as int32, little endian.
 *
 * Version, fingerprint and name are authenticated with it: a value that was moved to another name,
 * made by another build or model, or under another secret, does not open. A random nonce is safe
 * for 2³² blocks under one key; at ten blocks a second those are thirteen years.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { BLOCK_TOKENS_MAX, type PrefixBlock } from '@svc/contracts/ports/prefix-store'

const FORMAT_VERSION = 2
const ALGORITHM = 'aes-256-gcm'
const KEY_PURPOSE = 'prefix-block-seal|'
const VERSION_BYTES = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const NAME_BYTES = 16
const TOKEN_BYTES = 4

const TAG_AT = VERSION_BYTES + NONCE_BYTES
const CIPHERTEXT_AT = TAG_AT + TAG_BYTES
const PARENT_AT = 1
const COUNT_AT = PARENT_AT + NAME_BYTES
const TOKENS_AT = COUNT_AT + 1
const BYTES_AT = TOKENS_AT + BLOCK_TOKENS_MAX * TOKEN_BYTES

/** The bytes that a sealed block has beyond its keys and values. */
export const SEAL_OVERHEAD_BYTES = CIPHERTEXT_AT + BYTES_AT

export class BlockSeal {
  readonly #key: Buffer
  readonly #fingerprint: string

  /** @param fingerprint of all that the bytes of a block depend on, beside the tokens */
  constructor(secret: string | Uint8Array, fingerprint: string) {
    this.#key = createHmac('sha256', secret).update(`${KEY_PURPOSE}${fingerprint}`).digest()
    this.#fingerprint = fingerprint
  }

  seal({ name, parent, tokens, bytes }: PrefixBlock): Buffer {
    const head = Buffer.alloc(BYTES_AT)
    if (parent !== null) {
      head.writeUInt8(1)
      head.write(parent, PARENT_AT, NAME_BYTES, 'hex')
    }
    head.writeUInt8(tokens.length, COUNT_AT)
    for (const [at, token] of tokens.entries()) {
      head.writeInt32LE(token, TOKENS_AT + at * TOKEN_BYTES)
    }
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce)
    cipher.setAAD(this.#placeOf(FORMAT_VERSION, name))
    const ciphertext = [cipher.update(head), cipher.update(bytes), cipher.final()]
    return Buffer.concat([Buffer.of(FORMAT_VERSION), nonce, cipher.getAuthTag(), ...ciphertext])
  }

  /** @returns undefined when it is not, bit for bit, what was sealed under this name */
  open(name: string, sealed: Buffer): PrefixBlock | undefined {
    const version = sealed[0]
    if (sealed.length < SEAL_OVERHEAD_BYTES || version !== FORMAT_VERSION) return undefined
    const opened = this.#decrypt(name, version, sealed)
    if (opened === undefined) return undefined
    const tokens = Int32Array.from({ length: opened.readUInt8(COUNT_AT) }, (_, at) =>
      opened.readInt32LE(TOKENS_AT + at * TOKEN_BYTES),
    )
    const parent = opened[0] === 0 ? null : opened.toString('hex', PARENT_AT, COUNT_AT)
    const bytes = new Uint8Array(
      opened.buffer,
      opened.byteOffset + BYTES_AT,
      opened.length - BYTES_AT,
    )
    return { name, parent, tokens, bytes }
  }

  #decrypt(name: string, version: number, sealed: Buffer): Buffer | undefined {
    const nonce = sealed.subarray(VERSION_BYTES, TAG_AT)
    try {
      const decipher = createDecipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(this.#placeOf(version, name))
        .setAuthTag(sealed.subarray(TAG_AT, CIPHERTEXT_AT))
      const opened = decipher.update(sealed.subarray(CIPHERTEXT_AT))
      // It throws when the tag is another; before that nothing of what was opened counts.
      decipher.final()
      return opened
    } catch {
      return undefined
    }
  }

  #placeOf(version: number, name: string): Buffer {
    return Buffer.from(JSON.stringify([version, this.#fingerprint, name]))
  }
}
