/**
 * Text sealed with AES-256-GCM ({@link sealText}), as base64url. Each owner has a key of its own,
 * derived from the secret, so that what random nonces allow (2³² texts under one key) is counted
 * per owner.
 */
import { hkdfSync } from 'node:crypto'
import type { TextSeal } from '@svc/contracts/ports/text-seal'
import { openText, SEAL_KEY_BYTES, sealText } from '../sqlite/sealed-text.ts'

const PURPOSE = 'sealed text'

export class AesTextSeal implements TextSeal {
  readonly #secret: string | Uint8Array

  /** @param secret with the entropy of a key; another one opens nothing that this one sealed */
  constructor(secret: string | Uint8Array) {
    this.#secret = secret
  }

  seal(owner: readonly string[], text: string): string {
    return sealText(this.#keyOf(owner), owner, text).toString('base64url')
  }

  open(owner: readonly string[], sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url')
    // Several texts decode to the same bytes; only one of them was ever given out.
    if (bytes.toString('base64url') !== sealed) return undefined
    return openText(this.#keyOf(owner), owner, bytes)
  }

  #keyOf(owner: readonly string[]): Buffer {
    const purpose = JSON.stringify([PURPOSE, ...owner])
    return Buffer.from(hkdfSync('sha256', this.#secret, '', purpose, SEAL_KEY_BYTES))
  }
}
