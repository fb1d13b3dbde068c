/**
 * Forgets here whom the log calls erased: when another gateway has erased them, when a crash cut an
 * erasure off, when an older file was restored. Each gateway keeps for itself who the users are and
 * from where they came.
 */
import type { SessionStore } from '@svc/contracts/ports/session-store'
import type { Timer } from '@svc/contracts/ports/time'
import type { UserRecords } from '@svc/contracts/ports/user-records'
import type { Users } from './users.ts'

const LOOK_EVERY_MS = 10 * 60_000

export interface ErasedUsersPorts {
  readonly users: Pick<Users, 'list'>
  readonly records: Pick<UserRecords, 'find' | 'erase'>
  readonly sessions: Pick<SessionStore, 'forget'>
  readonly timer: Timer
  /** Is told of a look that failed; there is another one. */
  readonly onTrouble: (cause: unknown) => void
}

export class ErasedUsers {
  readonly #ports: ErasedUsersPorts
  /** Users of whom there is nothing any more. */
  readonly #forgotten = new Set<string>()
  #cancelLook: () => void = () => {}
  #stopped = false

  constructor(ports: ErasedUsersPorts) {
    this.#ports = ports
  }

  /** Looks now, and again and again. @returns stops it */
  start(): () => void {
    void this.#look()
    return () => {
      this.#stopped = true
      this.#cancelLook()
    }
  }

  async #look(): Promise<void> {
    const { users, timer, onTrouble } = this.#ports
    try {
      const erased = (await users.list()).filter(({ status }) => status === 'erased')
      await this.#forget(erased.map(({ userId }) => userId))
    } catch (cause) {
      onTrouble(cause)
    }
    if (!this.#stopped) this.#cancelLook = timer.after(LOOK_EVERY_MS, () => void this.#look())
  }

  async #forget(erased: readonly string[]): Promise<void> {
    const { records, sessions } = this.#ports
    const toForget = erased.filter((userId) => !this.#forgotten.has(userId))
    if (toForget.length === 0) return
    // All of them are forgotten at once, because the file is written anew each time.
    await sessions.forget(toForget)
    for (const userId of toForget) {
      if (this.#stopped) return
      if ((await records.find(userId)) !== undefined) await records.erase(userId)
      this.#forgotten.add(userId)
    }
  }
}
