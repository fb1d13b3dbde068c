import type { SignInWay } from '../../events/audit.ts'

/**
 * The sessions of the dashboard. Losing all of them harms nobody: everybody signs in again. Times
 * are milliseconds since 1970.
 */
export interface StoredSession {
  readonly sessionId: string
  /** SHA-256 of what the cookie holds, in hex. */
  readonly tokenHash: string
  readonly userId: string
  /** The way in which its user signed in. */
  readonly way: SignInWay
  readonly createdAt: number
  readonly lastUsedAt: number
  /** The time when it ends whatever happens. */
  readonly expiresAt: number
  /** The address from which it was last used. */
  readonly address: string
  readonly userAgent: string
}

export interface SessionStore {
  /**
   * Saves a session, in the place of the least used of the user, or of all, when there are too
   * many.
   */
  save(session: StoredSession): Promise<void>
  find(tokenHash: string): Promise<StoredSession | undefined>
  /** The last used first. */
  list(userId: string): Promise<readonly StoredSession[]>
  noteUse(sessionId: string, use: Pick<StoredSession, 'lastUsedAt' | 'address'>): Promise<void>
  /** @returns whether this user had it */
  end(userId: string, sessionId: string): Promise<boolean>
  /** @param except one that goes on. @returns how many have ended */
  endAll(userId: string, except?: string): Promise<number>
  /** Leaves no byte of these users in the files, also of their sessions that ended before. */
  forget(userIds: readonly string[]): Promise<void>
  /** Removes at most `limit` that ended by now, or were not used since. @returns how many */
  removeOld(bounds: {
    readonly expiresBy: number
    readonly unusedSince: number
    readonly limit: number
  }): Promise<number>
  close(): Promise<void>
}
