/**
 * Texts in a SQLite file of their own, so that a backup of the events can be kept longer than one
 * of the texts, and so that what is erased leaves the disk without the log being written anew.
 *
 *     keep    insert ─▶ commit ─▶ log on the disk ─▶ told
 *     erase   delete ─▶ VACUUM: the file is written anew from what is left ─▶ into the file,
 *             whose log is cut to nothing ─▶ told
 *
 * `secure_delete` alone is not enough: a page that SQLite has balanced can keep an older copy of a
 * row beside the row.
 */
import type { StatementSync } from 'node:sqlite'
import { hashOfText, readKeptText } from '@svc/contracts/kept-text'
import { StoreClosedError, StoreFullError } from '@svc/contracts/ports/event-store'
import type { FoundText, TextStore } from '@svc/contracts/ports/text-store'
import { openDatabaseFile } from '../../sqlite/database-file.ts'
import { type DurableFile, durableFile } from '../../sqlite/durable-file.ts'
import { SQLITE_FULL, sqliteCodeOf } from '../../sqlite/sqlite-errors.ts'
import { newSalt, newText, wordOf } from '../new-word.ts'

/** "svct" in ASCII. */
const APPLICATION_ID = 0x73766374
const CACHE_KIBIBYTES = 2 * 1024

const migrations = [
  `CREATE TABLE owner (name TEXT PRIMARY KEY, salt BLOB NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE text (
     owner TEXT NOT NULL,
     id TEXT NOT NULL,
     text TEXT NOT NULL,
     PRIMARY KEY (owner, id)
   ) STRICT, WITHOUT ROWID`,
]

export interface SqliteTextStoreOptions {
  /** Called once when the disk fails under the file: the process must end. */
  readonly onFatal: (error: unknown) => void
}

/** @throws {StoreOpenError} */
export function openSqliteTextStore(path: string, options: SqliteTextStoreOptions): TextStore {
  const file = openDatabaseFile(path, {
    what: 'a file of texts',
    applicationId: APPLICATION_ID,
    migrations,
    synchronous: 'FULL',
    cacheKibibytes: CACHE_KIBIBYTES,
    autoCheckpointPages: 0,
    secureDelete: true,
  })
  try {
    const durable = durableFile(file, path)
    durable.syncAtStart(path)
    return new SqliteTextStore(durable, options)
  } catch (error) {
    file.close()
    throw error
  }
}

class SqliteTextStore implements TextStore {
  readonly #file: DurableFile
  readonly #onFatal: (error: unknown) => void
  readonly #selectSalt: StatementSync
  readonly #insertSalt: StatementSync
  readonly #selectText: StatementSync
  readonly #insertText: StatementSync
  readonly #countTexts: StatementSync
  readonly #deleteTexts: StatementSync
  readonly #deleteSalt: StatementSync
  /** One change at a time: nothing may be written while the log is moved into the file. */
  #turn: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(file: DurableFile, { onFatal }: SqliteTextStoreOptions) {
    const { database } = file
    this.#file = file
    this.#onFatal = onFatal
    this.#selectSalt = database.prepare('SELECT salt FROM owner WHERE name = ?')
    this.#insertSalt = database.prepare('INSERT INTO owner (name, salt) VALUES (?, ?)')
    this.#selectText = database.prepare('SELECT text FROM text WHERE owner = ? AND id = ?')
    this.#insertText = database.prepare('INSERT INTO text (owner, id, text) VALUES (?, ?, ?)')
    this.#countTexts = database.prepare('SELECT count(*) AS texts FROM text WHERE owner = ?')
    this.#deleteTexts = database.prepare('DELETE FROM text WHERE owner = ?')
    this.#deleteSalt = database.prepare('DELETE FROM owner WHERE name = ?')
  }

  async keep(owner: string, text: string): Promise<string> {
    const kept = newText(owner, text)
    return this.#inTurn(() => {
      const known = this.#saltOf(owner)
      const salt = known ?? newSalt()
      if (known === undefined) this.#insertSalt.run(owner, salt)
      this.#insertText.run(owner, kept.id, kept.text)
      return wordOf(owner, salt, kept)
    })
  }

  async find(words: Iterable<string>): Promise<ReadonlyMap<string, FoundText>> {
    if (this.#isClosed) throw new StoreClosedError()
    const found = new Map<string, FoundText>()
    for (const word of words) {
      const { owner = '', id = '', hash } = readKeptText(word) ?? {}
      const text = this.#selectText.get(owner, id)?.text
      if (typeof text !== 'string') continue
      const salt = this.#saltOf(owner)
      const isIntact = salt !== undefined && hashOfText(salt, text) === hash
      found.set(word, { text, isIntact })
    }
    return found
  }

  async wordFor(owner: string, text: string): Promise<string> {
    if (this.#isClosed) throw new StoreClosedError()
    return wordOf(owner, this.#saltOf(owner) ?? newSalt(), newText(owner, text))
  }

  async count(owner: string): Promise<number> {
    if (this.#isClosed) throw new StoreClosedError()
    return Number(this.#countTexts.get(owner)?.texts ?? 0)
  }

  async erase(owner: string): Promise<number> {
    const remove = (): number => {
      const { changes } = this.#deleteTexts.run(owner)
      this.#deleteSalt.run(owner)
      return Number(changes)
    }
    return this.#inTurn(remove, () => this.#rewrite())
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#turn
    this.#file.close()
  }

  #saltOf(owner: string): Uint8Array | undefined {
    const salt = this.#selectSalt.get(owner)?.salt
    return salt instanceof Uint8Array ? salt : undefined
  }

  /** @param afterwards what is done once the disk has the change */
  #inTurn<Result>(change: () => Result, afterwards?: () => void): Promise<Result> {
    const done = this.#turn.then(() => this.#commit(change, afterwards))
    this.#turn = done.catch(() => {})
    return done
  }

  async #commit<Result>(change: () => Result, afterwards?: () => void): Promise<Result> {
    const result = this.#inTransaction(change)
    try {
      await this.#file.sync()
      afterwards?.()
      await this.#file.checkpointIfLong()
      return result
    } catch (error) {
      if (sqliteCodeOf(error) === SQLITE_FULL) throw new StoreFullError({ cause: error })
      this.#onFatal(error)
      throw error
    }
  }

  #inTransaction<Result>(change: () => Result): Result {
    if (this.#isClosed) throw new StoreClosedError()
    const { database } = this.#file
    database.exec('BEGIN IMMEDIATE')
    try {
      const result = change()
      database.exec('COMMIT')
      return result
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      if (sqliteCodeOf(error) === SQLITE_FULL) throw new StoreFullError({ cause: error })
      throw error
    }
  }

  /** Here SQLite waits for the disk itself, in the order that it needs: an erasure is rare. */
  #rewrite(): void {
    const { database } = this.#file
    database.exec(`PRAGMA synchronous = FULL; VACUUM; PRAGMA wal_checkpoint(TRUNCATE);
      PRAGMA synchronous = OFF`)
  }
}
