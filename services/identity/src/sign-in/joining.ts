/**
 * Somebody new. Who they are is kept first, beside the log, and then the log says that they are
 * here; when it refuses, what was kept is erased again.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { UserRecords } from '@svc/contracts/ports/user-records'
import type { PasswordHash } from '../passwords/password-hash.ts'
import type { Users } from '../users/users.ts'

export interface Newcomer {
  readonly email: string
  readonly displayName: string
  /** Is null for somebody who signs in another way. */
  readonly password: string | null
}

export interface JoiningPorts {
  readonly users: Pick<Users, 'find' | 'newUserId'>
  readonly records: UserRecords
  readonly passwords: Pick<PasswordHash, 'hash'>
}

export class Joining {
  readonly #ports: JoiningPorts
  /** Addresses of those who are joining now. */
  readonly #joining = new Set<string>()

  constructor(ports: JoiningPorts) {
    this.#ports = ports
  }

  /**
   * @param enter writes to the log that this user has joined
   * @returns the id of the user
   * @throws {ServiceError} `conflict` for an address that another user has, and what `enter` throws
   */
  async join(newcomer: Newcomer, enter: (userId: string) => Promise<unknown>): Promise<string> {
    const { email } = newcomer
    if (this.#joining.has(email)) throw addressTaken()
    this.#joining.add(email)
    try {
      return await this.#join(newcomer, enter)
    } finally {
      this.#joining.delete(email)
    }
  }

  async #join(
    { email, displayName, password }: Newcomer,
    enter: (userId: string) => Promise<unknown>,
  ): Promise<string> {
    const { users, records, passwords } = this.#ports
    await this.#eraseUnfinished(email)
    const passwordHash = password === null ? null : await passwords.hash(password)
    const userId = users.newUserId()
    if (!(await records.add({ userId, email, displayName, passwordHash }))) throw addressTaken()
    try {
      await enter(userId)
    } catch (cause) {
      // When the outcome is not known, the user may be in the log: the record stays.
      if ((await users.find(userId).catch(() => 'unknown')) === undefined) {
        await records.erase(userId)
      }
      throw cause
    }
    return userId
  }

  /** Erases what a process left that died between the two. */
  async #eraseUnfinished(email: string): Promise<void> {
    const { users, records } = this.#ports
    const record = await records.findByEmail(email)
    if (record !== undefined && (await users.find(record.userId)) === undefined) {
      await records.erase(record.userId)
    }
  }
}

function addressTaken(): ServiceError {
  const message = 'email: cannot be used here; who has it signs in'
  return new ServiceError('conflict', message, { param: 'email' })
}
