/** The sessions, in a SQLite file of their own that can be lost without harm. */
import type { StatementSync } from 'node:sqlite'
import type { SessionStore, StoredSession } from '@svc/contracts/ports/session-store'
import { openCacheFile } from '../sqlite/cache-file.ts'
import type { DatabaseFile } from '../sqlite/database-file.ts'

/** "svcw" in ASCII. */
const APPLICATION_ID = 0x73766377
const CACHE_KIBIBYTES = 4 * 1024
const CHECKPOINT_PAGES = 1_000

export interface SessionBounds {
  readonly perUser: number
  /** The most sessions of all users together. */
  readonly inAll: number
}

const sessionBounds: SessionBounds = { perUser: 10, inAll: 50_000 }

const migrations = [
  `CREATE TABLE session (
     session_id TEXT PRIMARY KEY,
     token_hash TEXT NOT NULL UNIQUE,
     user_id TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     last_used_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL,
     address TEXT NOT NULL,
     user_agent TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX session_by_user ON session (user_id, last_used_at);
   CREATE INDEX session_by_use ON session (last_used_at);
   CREATE INDEX session_by_expiry ON session (expires_at)`,
  "ALTER TABLE session ADD COLUMN way TEXT NOT NULL DEFAULT 'password'",
]

/**
 * A damaged file is replaced by an empty one.
 *
 * @throws {StoreOpenError} when in use or not writable
 */
export function openSqliteSessionStore(
  path: string,
  bounds: SessionBounds = sessionBounds,
): SessionStore {
  const options = {
    what: 'a file of sessions',
    applicationId: APPLICATION_ID,
    migrations,
    synchronous: 'NORMAL',
    cacheKibibytes: CACHE_KIBIBYTES,
    autoCheckpointPages: CHECKPOINT_PAGES,
    secureDelete: true,
  } as const
  return openCacheFile(path, options, (file) => new SqliteSessionStore(file, bounds))
}

/** Each under the name that it has in a {@link StoredSession}. */
const COLUMNS = `session_id AS sessionId, token_hash AS tokenHash, user_id AS userId, way,
  created_at AS createdAt, last_used_at AS lastUsedAt, expires_at AS expiresAt, address,
  user_agent AS userAgent`

class SqliteSessionStore implements SessionStore {
  readonly #file: DatabaseFile
  readonly #bounds: SessionBounds
  readonly #insert: StatementSync
  readonly #dropOfUser: StatementSync
  readonly #dropOfAll: StatementSync
  readonly #byToken: StatementSync
  readonly #byUser: StatementSync
  readonly #setUse: StatementSync
  readonly #remove: StatementSync
  readonly #removeAll: StatementSync
  readonly #removeOld: StatementSync
  #closed = false

  constructor(file: DatabaseFile, bounds: SessionBounds) {
    const { database } = file
    const dropBut = (which: string) =>
      `DELETE FROM session WHERE session_id IN
         (SELECT session_id FROM session ${which} ORDER BY last_used_at DESC LIMIT -1 OFFSET ?)`
    this.#file = file
    this.#bounds = bounds
    this.#insert = database.prepare('INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
    this.#dropOfUser = database.prepare(dropBut('WHERE user_id = ?'))
    this.#dropOfAll = database.prepare(dropBut(''))
    this.#byToken = database.prepare(`SELECT ${COLUMNS} FROM session WHERE token_hash = ?`)
    this.#byUser = database.prepare(
      `SELECT ${COLUMNS} FROM session WHERE user_id = ? ORDER BY last_used_at DESC, session_id`,
    )
    this.#setUse = database.prepare(
      'UPDATE session SET last_used_at = ?, address = ? WHERE session_id = ?',
    )
    this.#remove = database.prepare('DELETE FROM session WHERE user_id = ? AND session_id = ?')
    this.#removeAll = database.prepare('DELETE FROM session WHERE user_id = ? AND session_id <> ?')
    this.#removeOld = database.prepare(
      `DELETE FROM session WHERE session_id IN
         (SELECT session_id FROM session WHERE expires_at <= ? OR last_used_at <= ? LIMIT ?)`,
    )
  }

  async save(session: StoredSession): Promise<void> {
    const { sessionId, tokenHash, userId, createdAt, lastUsedAt, expiresAt } = session
    const { address, userAgent, way } = session
    const times = [createdAt, lastUsedAt, expiresAt]
    // Room for the new session is made first, so that it is never the one that gives way.
    this.#dropOfUser.run(userId, this.#bounds.perUser - 1)
    this.#dropOfAll.run(this.#bounds.inAll - 1)
    this.#insert.run(sessionId, tokenHash, userId, ...times, address, userAgent, way)
  }

  async find(tokenHash: string): Promise<StoredSession | undefined> {
    return this.#byToken.get(tokenHash) as StoredSession | undefined
  }

  async list(userId: string): Promise<readonly StoredSession[]> {
    return this.#byUser.all(userId) as unknown as readonly StoredSession[]
  }

  async noteUse(
    sessionId: string,
    { lastUsedAt, address }: Pick<StoredSession, 'lastUsedAt' | 'address'>,
  ): Promise<void> {
    this.#setUse.run(lastUsedAt, address, sessionId)
  }

  async end(userId: string, sessionId: string): Promise<boolean> {
    return this.#remove.run(userId, sessionId).changes > 0
  }

  async endAll(userId: string, except = ''): Promise<number> {
    return Number(this.#removeAll.run(userId, except).changes)
  }

  async forget(userIds: readonly string[]): Promise<void> {
    for (const userId of userIds) this.#removeAll.run(userId, '')
    // A page that SQLite has balanced, and the log, can keep an older copy of a row.
    this.#file.database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
  }

  async removeOld(bounds: {
    readonly expiresBy: number
    readonly unusedSince: number
    readonly limit: number
  }): Promise<number> {
    const { expiresBy, unusedSince, limit } = bounds
    return Number(this.#removeOld.run(expiresBy, unusedSince, limit).changes)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#file.close()
  }
}
