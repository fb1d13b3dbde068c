/**
 * Recorded answers in a SQLite file of their own, encrypted, bounded, and lost without harm.
 *
 * `synchronous=NORMAL` is enough: after a loss of power the last answers may be missing, and their
 * retries are refused with the receipt's id, as after expiry. The debit was durable before.
 */
import type { StatementSync } from 'node:sqlite'
import { noCrashPoints, type ReachCrashPoint } from '@svc/contracts/crash-points'
import type { RecordedAnswer, RecordedAnswers } from '@svc/contracts/recorded-answers'
import type { DatabaseFile } from '../../sqlite/database-file.ts'
import { openSealedFile } from '../../sqlite/sealed-file.ts'
import { DEFAULT_MAX_TOTAL_BYTES, MAX_SHARE_OF_TOTAL } from '../answer-bounds.ts'
import { openAnswer, sealAnswer } from './sealed-answer.ts'

/** "svca" in ASCII. */
const APPLICATION_ID = 0x73766361
const CACHE_KIBIBYTES = 4 * 1024
/** Rows that one look for the oldest answers takes. */
const EVICTION_ROWS = 100

const migrations = [
  `CREATE TABLE answer (
     age INTEGER PRIMARY KEY AUTOINCREMENT,
     account_id TEXT NOT NULL,
     request_id TEXT NOT NULL,
     expires_at INTEGER NOT NULL,
     sealed BLOB NOT NULL,
     UNIQUE (account_id, request_id)
   ) STRICT;
   CREATE INDEX answer_by_expiry ON answer (expires_at)`,
]

export interface SqliteRecordedAnswersOptions {
  /** 32 bytes. With another key the answers of before are not readable: absent. */
  readonly key: Uint8Array
  /** Bytes on the disk that all answers may take together. */
  readonly maxTotalBytes?: number
  readonly reachCrashPoint?: ReachCrashPoint
}

/**
 * A damaged file is replaced by an empty one.
 *
 * @throws {StoreOpenError} when in use or not writable
 * @throws {RangeError} on a key of another length
 */
export function openSqliteRecordedAnswers(
  path: string,
  options: SqliteRecordedAnswersOptions,
): RecordedAnswers {
  const fileOptions = {
    what: 'a file of recorded answers',
    applicationId: APPLICATION_ID,
    migrations,
    cacheKibibytes: CACHE_KIBIBYTES,
    key: options.key,
  }
  return openSealedFile(path, fileOptions, (file) => new SqliteRecordedAnswers(file, options))
}

class SqliteRecordedAnswers implements RecordedAnswers {
  readonly #file: DatabaseFile
  readonly #key: Buffer
  readonly #maxTotalBytes: number
  readonly #reachCrashPoint: ReachCrashPoint
  readonly #select: StatementSync
  readonly #insert: StatementSync
  readonly #remove: StatementSync
  readonly #removeExpired: StatementSync
  readonly #selectOldest: StatementSync
  #totalBytes: number
  #closed = false

  constructor(file: DatabaseFile, options: SqliteRecordedAnswersOptions) {
    const { database } = file
    this.#file = file
    this.#key = Buffer.from(options.key)
    this.#maxTotalBytes = options.maxTotalBytes ?? DEFAULT_MAX_TOTAL_BYTES
    this.#reachCrashPoint = options.reachCrashPoint ?? noCrashPoints
    this.#select = database.prepare(
      'SELECT sealed FROM answer WHERE account_id = ? AND request_id = ? AND expires_at > ?',
    )
    this.#insert = database.prepare(
      'INSERT INTO answer (account_id, request_id, expires_at, sealed) VALUES (?, ?, ?, ?)',
    )
    this.#remove = database.prepare(
      'DELETE FROM answer WHERE account_id = ? AND request_id = ? RETURNING length(sealed) AS bytes',
    )
    this.#removeExpired = database.prepare(
      `DELETE FROM answer WHERE age IN
         (SELECT age FROM answer WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
       RETURNING length(sealed) AS bytes`,
    )
    this.#selectOldest = database.prepare(
      `SELECT account_id, request_id FROM answer ORDER BY age LIMIT ${EVICTION_ROWS}`,
    )
    const total = database.prepare('SELECT total(length(sealed)) AS bytes FROM answer').get()
    this.#totalBytes = Number(total?.bytes)
  }

  async save(
    accountId: string,
    requestId: string,
    answer: RecordedAnswer,
    expiresAt: number,
  ): Promise<void> {
    const sealed = sealAnswer(this.#key, { accountId, requestId }, answer)
    const fits = sealed.length <= this.#maxTotalBytes * MAX_SHARE_OF_TOTAL
    this.#reachCrashPoint('recorded-answer.before')
    this.#inTransaction(() => {
      let total = this.#totalBytes - bytesOf(this.#remove.all(accountId, requestId))
      if (!fits) return total
      this.#insert.run(accountId, requestId, expiresAt, sealed)
      total += sealed.length
      while (total > this.#maxTotalBytes) total -= this.#removeOldest(total)
      return total
    })
    this.#reachCrashPoint('recorded-answer.after')
  }

  async load(
    accountId: string,
    requestId: string,
    now: number,
  ): Promise<RecordedAnswer | undefined> {
    const sealed = this.#select.get(accountId, requestId, now)?.sealed
    if (!(sealed instanceof Uint8Array)) return undefined
    return openAnswer(this.#key, { accountId, requestId }, sealed)
  }

  async removeExpired(now: number, limit: number): Promise<number> {
    let removed = 0
    this.#inTransaction(() => {
      const rows = this.#removeExpired.all(now, limit)
      removed = rows.length
      return this.#totalBytes - bytesOf(rows)
    })
    return removed
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#file.close()
  }

  /** Removes old answers until the total fits. @returns the bytes that were freed, above 0 */
  #removeOldest(total: number): number {
    let freed = 0
    for (const row of this.#selectOldest.all()) {
      if (total - freed <= this.#maxTotalBytes) break
      freed += bytesOf(this.#remove.all(String(row.account_id), String(row.request_id)))
    }
    return freed
  }

  /** @param change returns the new total, which counts only once it is committed */
  #inTransaction(change: () => number): void {
    const { database } = this.#file
    database.exec('BEGIN IMMEDIATE')
    try {
      const total = change()
      database.exec('COMMIT')
      this.#totalBytes = total
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
}

function bytesOf(rows: readonly Record<string, unknown>[]): number {
  return rows.reduce((sum, row) => sum + Number(row.bytes), 0)
}
