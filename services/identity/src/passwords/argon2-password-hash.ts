/**
 * Argon2id by Node's own crypto, off the event loop. One is computed at a time: it takes a thread
 * of the pool that also waits for the disk, so a flood of sign-ins must never have two of them. Who
 * finds too many waiting is refused.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { ServiceError } from '@svc/contracts/errors'
import type { PasswordHash } from './password-hash.ts'

const compute = promisify(argon2)

/** OWASP's parameters for Argon2id: 19 MiB, two passes, one lane. About 40 ms of one core. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32
const WAITING_MAX = 40
const RETRY_SECONDS = 2

const STORED = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d)\$([\w+/]{22})\$([\w+/]{43})$/

export class Argon2PasswordHash implements PasswordHash {
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES)
    const tag = await this.#inTurn(password, salt, COST)
    const { memory, passes, parallelism } = COST
    const parameters = `m=${memory},t=${passes},p=${parallelism}`
    return `$argon2id$v=19$${parameters}$${base64(salt)}$${base64(tag)}`
  }

  async isRight(password: string, hash: string | undefined): Promise<boolean> {
    if (hash === undefined) {
      await this.#inTurn(password, Buffer.alloc(SALT_BYTES), COST)
      return false
    }
    const [, memory, passes, parallelism, salt = '', tag = ''] = STORED.exec(hash) ?? []
    if (memory === undefined) throw new RangeError('what is stored is no Argon2id hash')
    const cost = {
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
    }
    const computed = await this.#inTurn(password, Buffer.from(salt, 'base64'), cost)
    return timingSafeEqual(computed, Buffer.from(tag, 'base64'))
  }

  /** @throws {ServiceError} `server_is_overloaded` */
  async #inTurn(password: string, nonce: Buffer, cost: typeof COST): Promise<Buffer> {
    if (this.#waiting >= WAITING_MAX) {
      const message = 'Too many people are signing in now. Please try again.'
      const details = { retryAfterSeconds: RETRY_SECONDS }
      throw new ServiceError('server_is_overloaded', message, details)
    }
    this.#waiting += 1
    const message = Buffer.from(password.normalize('NFKC'))
    const run = () => compute('argon2id', { message, nonce, tagLength: TAG_BYTES, ...cost })
    const computed = this.#last.then(run)
    this.#last = computed.catch(() => {})
    try {
      return await computed
    } finally {
      this.#waiting -= 1
    }
  }
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
