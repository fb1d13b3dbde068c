/**
 * Stored responses in a SQLite file of their own, encrypted, bounded, and lost without harm to the
 * books.
 *
 * `synchronous=NORMAL` is enough: a response survives the process, and after a loss of power the
 * last ones may be missing, as if they had never been stored. Their debits were durable before.
 */
import type { StatementSync } from 'node:sqlite'
import type { StoredResponses } from '@svc/contracts/stored-responses'
import type { DatabaseFile } from '../../sqlite/database-file.ts'
import { openSealedFile } from '../../sqlite/sealed-file.ts'
import { openText, sealText } from '../../sqlite/sealed-text.ts'
import {
  defaultResponseBounds,
  MAX_SHARE_OF_ACCOUNT,
  type ResponseBounds,
} from '../response-bounds.ts'

/** "svcr" in ASCII. */
const APPLICATION_ID = 0x73766372
const CACHE_KIBIBYTES = 8 * 1024
/** Rows that one look for the oldest responses takes. */
const EVICTION_ROWS = 100
/** Where `room` holds what all accounts use together. No account is named so. */
const EVERYBODY = ''

/** What is used is counted by triggers, so that it changes with the rows or not at all. */
const migrations = [
  `CREATE TABLE response (
     age INTEGER PRIMARY KEY AUTOINCREMENT,
     account_id TEXT NOT NULL,
     response_id TEXT NOT NULL,
     expires_at INTEGER NOT NULL,
     bytes INTEGER NOT NULL,
     sealed BLOB NOT NULL,
     UNIQUE (account_id, response_id)
   ) STRICT;
   CREATE INDEX response_by_account ON response (account_id, age);
   CREATE INDEX response_by_expiry ON response (expires_at);
   CREATE TABLE room (account_id TEXT PRIMARY KEY, used INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TRIGGER room_taken AFTER INSERT ON response BEGIN
     INSERT INTO room (account_id, used) VALUES (NEW.account_id, NEW.bytes), ('', NEW.bytes)
       ON CONFLICT (account_id) DO UPDATE SET used = used + excluded.used;
   END;
   CREATE TRIGGER room_freed AFTER DELETE ON response BEGIN
     UPDATE room SET used = used - OLD.bytes WHERE account_id IN (OLD.account_id, '');
     DELETE FROM room WHERE account_id = OLD.account_id AND used = 0;
   END`,
]

export interface SqliteStoredResponsesOptions {
  /** 32 bytes. With another key the responses of before are not readable: absent. */
  readonly key: Uint8Array
  readonly bounds?: ResponseBounds
}

/**
 * A damaged file is replaced by an empty one.
 *
 * @throws {StoreOpenError} when in use or not writable
 * @throws {RangeError} on a key of another length
 */
export function openSqliteStoredResponses(
  path: string,
  options: SqliteStoredResponsesOptions,
): StoredResponses {
  const fileOptions = {
    what: 'a file of stored responses',
    applicationId: APPLICATION_ID,
    migrations,
    cacheKibibytes: CACHE_KIBIBYTES,
    key: options.key,
  }
  return openSealedFile(path, fileOptions, (file) => new SqliteStoredResponses(file, options))
}

class SqliteStoredResponses implements StoredResponses {
  readonly #file: DatabaseFile
  readonly #key: Buffer
  readonly #bounds: ResponseBounds
  readonly #select: StatementSync
  readonly #insert: StatementSync
  readonly #remove: StatementSync
  readonly #removeExpired: StatementSync
  readonly #selectUsed: StatementSync
  readonly #oldestOfAccount: StatementSync
  readonly #oldestOfAll: StatementSync
  readonly #removeByAge: StatementSync
  #closed = false

  constructor(file: DatabaseFile, options: SqliteStoredResponsesOptions) {
    const { database } = file
    this.#file = file
    this.#key = Buffer.from(options.key)
    this.#bounds = options.bounds ?? defaultResponseBounds
    this.#select = database.prepare(
      'SELECT sealed FROM response WHERE account_id = ? AND response_id = ? AND expires_at > ?',
    )
    this.#insert = database.prepare(
      `INSERT INTO response (account_id, response_id, expires_at, bytes, sealed)
       VALUES (?, ?, ?, ?, ?)`,
    )
    this.#remove = database.prepare('DELETE FROM response WHERE account_id = ? AND response_id = ?')
    this.#removeExpired = database.prepare(
      `DELETE FROM response WHERE age IN
         (SELECT age FROM response WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    )
    this.#selectUsed = database.prepare('SELECT used FROM room WHERE account_id = ?')
    this.#oldestOfAccount = database.prepare(
      `SELECT age, bytes FROM response WHERE account_id = ? ORDER BY age LIMIT ${EVICTION_ROWS}`,
    )
    this.#oldestOfAll = database.prepare(
      `SELECT age, bytes FROM response ORDER BY age LIMIT ${EVICTION_ROWS}`,
    )
    this.#removeByAge = database.prepare('DELETE FROM response WHERE age = ?')
  }

  async save(
    accountId: string,
    responseId: string,
    body: string,
    expiresAt: number,
  ): Promise<void> {
    const sealed = sealText(this.#key, [accountId, responseId], body)
    const { maxAccountBytes, maxTotalBytes } = this.#bounds
    const fits = sealed.length <= maxAccountBytes * MAX_SHARE_OF_ACCOUNT
    this.#inTransaction(() => {
      this.#remove.run(accountId, responseId)
      if (!fits) return
      this.#insert.run(accountId, responseId, expiresAt, sealed.length, sealed)
      this.#shrink(accountId, maxAccountBytes, () => this.#oldestOfAccount.all(accountId))
      this.#shrink(EVERYBODY, maxTotalBytes, () => this.#oldestOfAll.all())
    })
  }

  async load(accountId: string, responseId: string, now: number): Promise<string | undefined> {
    const sealed = this.#select.get(accountId, responseId, now)?.sealed
    if (!(sealed instanceof Uint8Array)) return undefined
    return openText(this.#key, [accountId, responseId], sealed)
  }

  async remove(accountId: string, responseId: string): Promise<boolean> {
    return this.#remove.run(accountId, responseId).changes > 0
  }

  async removeExpired(now: number, limit: number): Promise<number> {
    return Number(this.#removeExpired.run(now, limit).changes)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#file.close()
  }

  /** Removes the oldest until what is used fits. Every round frees at least one row. */
  #shrink(account: string, maxBytes: number, oldest: () => Record<string, unknown>[]): void {
    let used = Number(this.#selectUsed.get(account)?.used ?? 0)
    while (used > maxBytes) {
      for (const { age, bytes } of oldest()) {
        if (used <= maxBytes) return
        this.#removeByAge.run(Number(age))
        used -= Number(bytes)
      }
    }
  }

  #inTransaction(change: () => void): void {
    const { database } = this.#file
    database.exec('BEGIN IMMEDIATE')
    try {
      change()
      database.exec('COMMIT')
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
}
