/** Checks a password, and whether somebody who is signed in can say once more who they are. */
import { ServiceError } from '@svc/contracts/errors'
import type { Clock } from '@svc/contracts/ports/time'
import type { UserRecords } from '@svc/contracts/ports/user-records'
import type { PasswordHash } from '../passwords/password-hash.ts'
import type { Browser, OpenSession } from '../sessions/sessions.ts'
import type { Users } from '../users/users.ts'
import type { SignInLimits } from './sign-in-limits.ts'
import type { SignInTrail } from './sign-in-trail.ts'

/** Nobody is asked to sign in again for this time after a sign-in without a password. */
const RECENT_MS = 15 * 60_000

export interface PasswordCheckPorts {
  readonly users: Pick<Users, 'find'>
  readonly records: Pick<UserRecords, 'find' | 'findByEmail'>
  readonly passwords: Pick<PasswordHash, 'isRight'>
  readonly signInTrail: Pick<SignInTrail, 'refused'>
  readonly signInLimits: Pick<SignInLimits, 'guarded'>
  readonly clock: Clock
}

/**
 * The user whose password was right, and what it was checked against: it may be another one since.
 */
export interface CheckedPassword {
  readonly userId: string
  readonly passwordHash: string
}

export class PasswordCheck {
  readonly #ports: PasswordCheckPorts

  constructor(ports: PasswordCheckPorts) {
    this.#ports = ports
  }

  /** @throws {ServiceError} `wrong_credentials`, one answer for all that can be wrong */
  async checked(email: string, password: string, browser: Browser): Promise<CheckedPassword> {
    const checked = await this.#guarded(email, password, browser)
    if (checked !== undefined) return checked
    throw wrongCredentials()
  }

  /**
   * Checks the password of somebody who is signed in: what they typed is all that can be wrong.
   *
   * @throws {ServiceError} `wrong_credentials`
   */
  async checkedOwn(email: string, password: string, browser: Browser): Promise<CheckedPassword> {
    const checked = await this.#guarded(email, password, browser)
    if (checked !== undefined) return checked
    const param = 'current_password'
    throw new ServiceError('wrong_credentials', 'This is not your current password.', { param })
  }

  #guarded(email: string, password: string, browser: Browser) {
    const { signInLimits } = this.#ports
    return signInLimits.guarded(email, browser.address, () => this.#checked(email, password))
  }

  async #checked(email: string, password: string): Promise<CheckedPassword | undefined> {
    const { users, records, passwords, signInTrail } = this.#ports
    const record = await records.findByEmail(email)
    const passwordHash = record?.passwordHash ?? undefined
    const isRight = await passwords.isRight(password, passwordHash)
    const user = record && (await users.find(record.userId))
    if (isRight && passwordHash !== undefined && user?.status === 'active') {
      return { userId: user.userId, passwordHash }
    }
    signInTrail.refused(user?.userId)
    return undefined
  }

  /**
   * Asks for the password again before a lasting way to sign in is added: whoever sits down at an
   * open browser must not leave one behind.
   *
   * @throws {ServiceError} `missing_required_parameter`, `wrong_credentials`; `not_allowed` when a
   * user without a password signed in too long ago
   */
  async requireAgain(
    password: string | undefined,
    { user, session }: OpenSession,
    browser: Browser,
  ): Promise<void> {
    const { records, clock } = this.#ports
    const record = await records.find(user.userId)
    if (record?.passwordHash == null) {
      if (clock.nowMs() - session.createdAt < RECENT_MS) return
      throw new ServiceError('not_allowed', 'Sign out and in again first, then do this at once.')
    }
    if (password === undefined) {
      const param = 'current_password'
      throw new ServiceError('missing_required_parameter', `${param}: is needed for this`, {
        param,
      })
    }
    await this.checkedOwn(record.email, password, browser)
  }
}

export function wrongCredentials(): ServiceError {
  return new ServiceError('wrong_credentials', 'The e-mail address or the password is wrong.')
}
