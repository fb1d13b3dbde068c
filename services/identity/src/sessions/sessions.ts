/**
 * Sessions of the dashboard: opaque tokens, of which the server keeps a hash. A session ends at
 * once when it is ended, or when its user gets another password or is disabled; it ends when it was
 * not used for a while, and at its time in any case.
 */
import { hash } from 'node:crypto'
import type { SignInWay } from '@svc/contracts/events/audit'
import type { IdSource } from '@svc/contracts/ids'
import type { SessionStore, StoredSession } from '@svc/contracts/ports/session-store'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import type { User } from '../users/state.ts'
import type { Users } from '../users/users.ts'

const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/
/** A use is noted this often at most: reads must not write each time. */
const NOTE_USE_MS = 60_000
const USER_AGENT_CHARACTERS_MAX = 200
const REMOVAL_INTERVAL_MS = 10 * 60_000
const REMOVAL_BATCH = 500

export interface SessionLifetimes {
  /** The lifetime without any request, in milliseconds. */
  readonly idleMs: number
  /** The lifetime in any case, in milliseconds. */
  readonly absoluteMs: number
}

export interface SessionsPorts {
  readonly store: SessionStore
  readonly users: Pick<Users, 'find'>
  readonly clock: Clock
  readonly timer: Timer
  readonly ids: IdSource
  readonly randomBytes: (count: number) => Uint8Array
  readonly lifetimes: SessionLifetimes
  /** Is told of a removal, or of a use, that could not be written; it is tried again. */
  readonly onTrouble: (cause: unknown) => void
}

/** A browser, as its requests show it. */
export interface Browser {
  readonly address: string
  readonly userAgent: string
}

type Begun = Pick<StoredSession, 'userId' | 'way' | 'createdAt' | 'expiresAt'>

export interface OpenSession {
  readonly session: StoredSession
  readonly user: Readonly<User>
}

export class Sessions {
  readonly #ports: SessionsPorts
  #cancelRemoval: () => void = () => {}

  constructor(ports: SessionsPorts) {
    this.#ports = ports
  }

  /** @returns what the cookie holds; it is kept nowhere */
  async begin(userId: string, browser: Browser, way: SignInWay): Promise<string> {
    const { clock, lifetimes } = this.#ports
    const createdAt = clock.nowMs()
    const expiresAt = createdAt + lifetimes.absoluteMs
    return this.#save({ userId, way, createdAt, expiresAt }, browser)
  }

  /**
   * Ends a session, and goes on with it under another token. Nobody signs in by that: it ends when
   * it would have ended, and began when it began.
   *
   * @returns what the cookie holds from now on
   */
  async renew({ sessionId, ...whose }: StoredSession, browser: Browser): Promise<string> {
    await this.#ports.store.end(whose.userId, sessionId)
    return this.#save(whose, browser)
  }

  /**
   * The session of a token that goes on, with its user as they are now. On a full disk it can be
   * read, so whoever makes room can look at the pages: a use that is not noted makes it no longer.
   *
   * @throws {ServiceError} `store_unavailable` when that cannot be known
   */
  async find(token: string | undefined, address: string): Promise<OpenSession | undefined> {
    if (token === undefined || !TOKEN.test(token)) return undefined
    const { store, users, clock, onTrouble } = this.#ports
    const session = await store.find(hashOf(token))
    if (session === undefined) return undefined
    const user = await users.find(session.userId)
    const now = clock.nowMs()
    if (user === undefined || !this.#goesOn(session, user, now)) {
      await store.end(session.userId, session.sessionId).catch(onTrouble)
      return undefined
    }
    if (now - session.lastUsedAt < NOTE_USE_MS) return { session, user }
    const use = { lastUsedAt: now, address }
    try {
      await store.noteUse(session.sessionId, use)
    } catch (cause) {
      onTrouble(cause)
      return { session, user }
    }
    return { session: { ...session, ...use }, user }
  }

  /** Whether a session that was found before still goes on, for what lasts. */
  async goesOn(tokenHash: string): Promise<boolean> {
    const { store, users, clock } = this.#ports
    const session = await store.find(tokenHash)
    const user = session && (await users.find(session.userId))
    return user !== undefined && this.#goesOn(session as StoredSession, user, clock.nowMs())
  }

  /** Lists the sessions of a user that go on, the last used first. */
  async list(user: Readonly<User>): Promise<readonly StoredSession[]> {
    const now = this.#ports.clock.nowMs()
    const sessions = await this.#ports.store.list(user.userId)
    return sessions.filter((session) => this.#goesOn(session, user, now))
  }

  async end(userId: string, sessionId: string): Promise<boolean> {
    return this.#ports.store.end(userId, sessionId)
  }

  async endAll(userId: string, except?: string): Promise<number> {
    return this.#ports.store.endAll(userId, except)
  }

  /** Gives the time when a session ends unless it is used. */
  idleExpiryOf({ lastUsedAt, expiresAt }: StoredSession): number {
    return Math.min(lastUsedAt + this.#ports.lifetimes.idleMs, expiresAt)
  }

  /** Removes what has ended, now and again. @returns stops it */
  startRemoval(): () => void {
    const look = (): void => {
      void this.#removeOld()
      this.#cancelRemoval = this.#ports.timer.after(REMOVAL_INTERVAL_MS, look)
    }
    look()
    return () => this.#cancelRemoval()
  }

  async #removeOld(): Promise<void> {
    const { store, clock, lifetimes, onTrouble } = this.#ports
    const now = clock.nowMs()
    const bounds = { expiresBy: now, unusedSince: now - lifetimes.idleMs, limit: REMOVAL_BATCH }
    await store.removeOld(bounds).catch(onTrouble)
  }

  async #save(
    { userId, way, createdAt, expiresAt }: Begun,
    { address, userAgent }: Browser,
  ): Promise<string> {
    const { store, clock, ids, randomBytes } = this.#ports
    const token = Buffer.from(randomBytes(TOKEN_BYTES)).toString('base64url')
    await store.save({
      sessionId: ids.next('ses'),
      tokenHash: hashOf(token),
      userId,
      way,
      createdAt,
      lastUsedAt: clock.nowMs(),
      expiresAt,
      address,
      userAgent: userAgent.slice(0, USER_AGENT_CHARACTERS_MAX),
    })
    return token
  }

  #goesOn(session: StoredSession, user: Readonly<User>, now: number): boolean {
    const { createdAt, lastUsedAt } = session
    if (user.status !== 'active' || createdAt < user.sessionsFrom) return false
    // A clock that was set back must not make a session longer.
    return lastUsedAt <= now + NOTE_USE_MS && now < this.idleExpiryOf(session)
  }
}

function hashOf(token: string): string {
  return hash('sha256', token, 'hex')
}
