/**
 * Who the users are, in a SQLite file of its own beside the log. It is no cache: a damaged file is
 * refused, and a commit survives a loss of power. An erasure writes the file anew.
 */
import type { StatementSync } from 'node:sqlite'
import type { UserRecord, UserRecords } from '@svc/contracts/ports/user-records'
import { type DatabaseFile, openDatabaseFile } from '../sqlite/database-file.ts'
import { SqliteLinkedIdentities } from './sqlite-linked-identities.ts'
import { SqlitePasskeys } from './sqlite-passkeys.ts'

/** "svcu" in ASCII. */
const APPLICATION_ID = 0x73766375
const CACHE_KIBIBYTES = 2 * 1024
const CHECKPOINT_PAGES = 100

const migrations = [
  `CREATE TABLE user (
     user_id TEXT PRIMARY KEY,
     email TEXT NOT NULL UNIQUE,
     display_name TEXT NOT NULL,
     password_hash TEXT NOT NULL
   ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE passkey (
     passkey_id TEXT PRIMARY KEY,
     user_id TEXT NOT NULL,
     credential_id TEXT NOT NULL UNIQUE,
     public_key BLOB NOT NULL,
     sign_count INTEGER NOT NULL,
     transports TEXT NOT NULL,
     name TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     last_used_at INTEGER
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX passkey_by_user ON passkey (user_id, created_at);
   CREATE TABLE linked_identity (
     issuer TEXT NOT NULL,
     subject TEXT NOT NULL,
     user_id TEXT NOT NULL,
     PRIMARY KEY (issuer, subject),
     UNIQUE (user_id, issuer)
   ) STRICT, WITHOUT ROWID`,
]

/** Stands in the column of the hash for a user without a password. No hash is empty. */
const NO_PASSWORD = ''

/** @throws {StoreOpenError} when in use, not writable or damaged */
export function openSqliteUserRecords(path: string): UserRecords {
  const file = openDatabaseFile(path, {
    what: 'the file of users',
    applicationId: APPLICATION_ID,
    migrations,
    synchronous: 'FULL',
    cacheKibibytes: CACHE_KIBIBYTES,
    autoCheckpointPages: CHECKPOINT_PAGES,
    secureDelete: true,
  })
  return new SqliteUserRecords(file)
}

interface StoredUser {
  readonly user_id: string
  readonly email: string
  readonly display_name: string
  readonly password_hash: string
}

class SqliteUserRecords implements UserRecords {
  readonly passkeys: SqlitePasskeys
  readonly identities: SqliteLinkedIdentities
  readonly #file: DatabaseFile
  readonly #byId: StatementSync
  readonly #byEmail: StatementSync
  readonly #insert: StatementSync
  readonly #setName: StatementSync
  readonly #setPassword: StatementSync
  readonly #replacePassword: StatementSync
  readonly #remove: StatementSync
  #closed = false

  constructor(file: DatabaseFile) {
    const { database } = file
    this.#file = file
    this.passkeys = new SqlitePasskeys(database)
    this.identities = new SqliteLinkedIdentities(database)
    this.#byId = database.prepare('SELECT * FROM user WHERE user_id = ?')
    this.#byEmail = database.prepare('SELECT * FROM user WHERE email = ?')
    this.#insert = database.prepare('INSERT OR IGNORE INTO user VALUES (?, ?, ?, ?)')
    this.#setName = database.prepare('UPDATE user SET display_name = ? WHERE user_id = ?')
    this.#setPassword = database.prepare('UPDATE user SET password_hash = ? WHERE user_id = ?')
    this.#replacePassword = database.prepare(
      'UPDATE user SET password_hash = ? WHERE user_id = ? AND password_hash = ?',
    )
    this.#remove = database.prepare('DELETE FROM user WHERE user_id = ?')
  }

  async find(userId: string): Promise<UserRecord | undefined> {
    return recordOf(this.#byId.get(userId))
  }

  async findByEmail(email: string): Promise<UserRecord | undefined> {
    return recordOf(this.#byEmail.get(email))
  }

  async add({ userId, email, displayName, passwordHash }: UserRecord): Promise<boolean> {
    const stored = passwordHash ?? NO_PASSWORD
    return this.#insert.run(userId, email, displayName, stored).changes > 0
  }

  async change(
    userId: string,
    { displayName, passwordHash }: Partial<Pick<UserRecord, 'displayName' | 'passwordHash'>>,
  ): Promise<boolean> {
    let changes = 0
    if (displayName !== undefined) changes += Number(this.#setName.run(displayName, userId).changes)
    if (passwordHash !== undefined) {
      const stored = passwordHash ?? NO_PASSWORD
      changes += Number(this.#setPassword.run(stored, userId).changes)
    }
    return changes > 0
  }

  async replacePassword(userId: string, before: string, after: string): Promise<boolean> {
    return this.#replacePassword.run(after, userId, before).changes > 0
  }

  async erase(userId: string): Promise<boolean> {
    const { database } = this.#file
    let erased = false
    database.exec('BEGIN IMMEDIATE')
    try {
      this.passkeys.removeAll(userId)
      this.identities.removeAll(userId)
      erased = this.#remove.run(userId).changes > 0
      database.exec('COMMIT')
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
    // A page that SQLite has balanced can keep an older copy of a row: the file is written anew.
    database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
    return erased
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#file.close()
  }
}

function recordOf(row: object | undefined): UserRecord | undefined {
  if (row === undefined) return undefined
  const { user_id, email, display_name, password_hash } = row as StoredUser
  const passwordHash = password_hash === NO_PASSWORD ? null : password_hash
  return { userId: user_id, email, displayName: display_name, passwordHash }
}
