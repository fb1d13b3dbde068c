/**
 * An expiring store in a SQLite file of its own, encrypted, bounded, and lost without harm to the
 * books.
 *
 * The disk is waited for only when the log is moved into the file, beside the event loop, and when
 * somebody removes a text. That is enough: a text survives the process, and after a loss of power
 * the last ones may be missing, as if they had never been kept. Their debits were durable before.
 */
import type { StatementSync } from 'node:sqlite'
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import type { DatabaseFile } from '../../sqlite/database-file.ts'
import { type DurableFile, durableFile } from '../../sqlite/durable-file.ts'
import { openSealedFile } from '../../sqlite/sealed-file.ts'
import { openText, sealText } from '../../sqlite/sealed-text.ts'
import { SHARE_OF_ACCOUNT_MAX, type StoreBounds } from '../store-bounds.ts'

/** What a file can be for. A file with another number is of another kind, and is made anew. */
const fileKinds = {
  /** "svck" in ASCII. */
  answers: { what: 'a file of recorded answers', applicationId: 0x7376636b },
  /** "svcr" in ASCII. */
  responses: { what: 'a file of stored responses', applicationId: 0x73766372 },
} as const

/** Texts that one transaction removes: nothing else runs meanwhile. */
const REMOVAL_BATCH = 250
/** What somebody asked to remove must not come back after a loss of power. */
const LASTING = true
const CACHE_KIBIBYTES = 8 * 1024
/** The name under which `room` counts what all accounts use together. No account is named so. */
const EVERYBODY = ''

/** The tables, with triggers that count what is used: so it changes with the rows or not at all. */
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
  `ALTER TABLE response RENAME TO entry;
   ALTER TABLE entry RENAME COLUMN response_id TO id;
   CREATE INDEX room_by_use ON room (used)`,
]

export interface SqliteExpiringStoreOptions {
  readonly kind: keyof typeof fileKinds
  /**
   * A key of 32 bytes. With another key the texts from before cannot be read, and count as absent.
   */
  readonly key: Uint8Array
  readonly bounds: StoreBounds
}

/**
 * A damaged file is replaced by an empty one.
 *
 * @throws {StoreOpenError} when in use or not writable
 * @throws {RangeError} on a key of another length
 */
export function openSqliteExpiringStore(
  path: string,
  options: SqliteExpiringStoreOptions,
): ExpiringStore {
  const fileOptions = {
    ...fileKinds[options.kind],
    migrations,
    cacheKibibytes: CACHE_KIBIBYTES,
    key: options.key,
  }
  return openSealedFile(path, fileOptions, (file) => new SqliteExpiringStore(file, path, options))
}

class SqliteExpiringStore implements ExpiringStore {
  readonly #file: DurableFile
  readonly #key: Buffer
  readonly #bounds: StoreBounds
  readonly #select: StatementSync
  readonly #insert: StatementSync
  readonly #remove: StatementSync
  readonly #removeSome: StatementSync
  readonly #removeExpired: StatementSync
  readonly #selectUsed: StatementSync
  readonly #oldestOfAccount: StatementSync
  readonly #selectLargest: StatementSync
  readonly #removeByAge: StatementSync
  /**
   * Lets one change happen at a time: nothing may be written while the log is moved into the file.
   */
  #turn: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(file: DatabaseFile, path: string, options: SqliteExpiringStoreOptions) {
    const { database } = file
    this.#key = Buffer.from(options.key)
    this.#bounds = options.bounds
    this.#select = database.prepare(
      'SELECT sealed FROM entry WHERE account_id = ? AND id = ? AND expires_at > ?',
    )
    this.#insert = database.prepare(
      `INSERT INTO entry (account_id, id, expires_at, bytes, sealed)
       VALUES (?, ?, ?, ?, ?)`,
    )
    this.#remove = database.prepare('DELETE FROM entry WHERE account_id = ? AND id = ?')
    this.#removeSome = database.prepare(
      `DELETE FROM entry WHERE age IN
         (SELECT age FROM entry WHERE account_id = ? ORDER BY age LIMIT ${REMOVAL_BATCH})`,
    )
    this.#removeExpired = database.prepare(
      `DELETE FROM entry WHERE age IN
         (SELECT age FROM entry WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    )
    this.#selectUsed = database.prepare('SELECT used FROM room WHERE account_id = ?')
    this.#oldestOfAccount = database.prepare(
      'SELECT age FROM entry WHERE account_id = ? ORDER BY age LIMIT 1',
    )
    this.#selectLargest = database.prepare(
      `SELECT account_id FROM room WHERE account_id <> '${EVERYBODY}' ORDER BY used DESC LIMIT 1`,
    )
    this.#removeByAge = database.prepare('DELETE FROM entry WHERE age = ?')
    // This comes last: what fails above is damage, and leaves nothing open.
    this.#file = durableFile(file, path)
  }

  async save(accountId: string, id: string, text: string, expiresAt: number): Promise<void> {
    const sealed = sealText(this.#key, [accountId, id], text)
    const { maxAccountBytes, maxTotalBytes } = this.#bounds
    const fits = sealed.length <= maxAccountBytes * SHARE_OF_ACCOUNT_MAX
    await this.#inTurn(() => {
      this.#remove.run(accountId, id)
      if (!fits) return
      this.#insert.run(accountId, id, expiresAt, sealed.length, sealed)
      while (this.#used(accountId) > maxAccountBytes) this.#removeOldestOf(accountId)
      while (this.#used(EVERYBODY) > maxTotalBytes) this.#removeOldestOf(this.#largest())
    })
  }

  async load(accountId: string, id: string, now: number): Promise<string | undefined> {
    const sealed = this.#select.get(accountId, id, now)?.sealed
    if (!(sealed instanceof Uint8Array)) return undefined
    return openText(this.#key, [accountId, id], sealed)
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    return this.#inTurn(() => this.#remove.run(accountId, id).changes > 0, LASTING)
  }

  async removeAll(accountId: string): Promise<number> {
    let removed = 0
    for (let some = REMOVAL_BATCH; some === REMOVAL_BATCH; removed += some) {
      const remove = () => Number(this.#removeSome.run(accountId).changes)
      some = await this.#inTurn(remove, LASTING)
      await nextTurnOfLoop()
    }
    return removed
  }

  async removeExpired(now: number, limit: number): Promise<number> {
    return this.#inTurn(() => Number(this.#removeExpired.run(now, limit).changes))
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#turn
    this.#file.close()
  }

  #used(accountId: string): number {
    return Number(this.#selectUsed.get(accountId)?.used ?? 0)
  }

  #largest(): string {
    return String(this.#selectLargest.get()?.account_id)
  }

  #removeOldestOf(accountId: string): void {
    this.#removeByAge.run(Number(this.#oldestOfAccount.get(accountId)?.age))
  }

  #inTurn<Result>(change: () => Result, isLasting = false): Promise<Result> {
    const done = this.#turn.then(async () => {
      const result = this.#inTransaction(change)
      if (isLasting) await this.#file.sync()
      await this.#file.checkpointIfLong()
      return result
    })
    this.#turn = done.catch(() => {})
    return done
  }

  #inTransaction<Result>(change: () => Result): Result {
    const { database } = this.#file
    database.exec('BEGIN IMMEDIATE')
    try {
      const result = change()
      database.exec('COMMIT')
      return result
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
}
