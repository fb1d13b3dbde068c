/**
 * The names of our keys in Redis. None says anything of a prompt, a model or a tenant to who can
 * list them: a block's name is a keyed hash already, the others are hashed here.
 *
 *     PREFIXpc:BUILD:b:NAME             a sealed block
 *     PREFIXpc:BUILD:c:NAME             who computes it
 *     PREFIXpc:BUILD:t:TENANT:WINDOW    bytes that a tenant has written within a span of time
 */
import { createHash, createHmac } from 'node:crypto'

const BUILD_DIGITS = 8
const TENANT_DIGITS = 32
const TENANT_PURPOSE = 'prefix-tenant-key|'

export interface BlockKeysOptions {
  readonly keyPrefix: string
  readonly fingerprint: string
  readonly secret: string | Uint8Array
}

export class BlockKeys {
  /** The pattern for SCAN that matches all blocks of this build. */
  readonly blockPattern: string
  readonly #start: string
  readonly #secret: string | Uint8Array

  constructor({ keyPrefix, fingerprint, secret }: BlockKeysOptions) {
    const build = createHash('sha256').update(fingerprint).digest('hex').slice(0, BUILD_DIGITS)
    this.#start = `${keyPrefix}pc:${build}:`
    this.#secret = secret
    this.blockPattern = `${this.block('').replaceAll(/[*?[\]\\^-]/g, '\\$&')}*`
  }

  block(name: string): string {
    return `${this.#start}b:${name}`
  }

  /** The name in a block's key. */
  nameOf(blockKey: string): string {
    return blockKey.slice(this.block('').length)
  }

  claim(name: string): string {
    return `${this.#start}c:${name}`
  }

  writtenBytes(tenant: string, window: number): string {
    const hash = createHmac('sha256', this.#secret).update(`${TENANT_PURPOSE}${tenant}`)
    return `${this.#start}t:${hash.digest('hex').slice(0, TENANT_DIGITS)}:${window}`
  }
}
