/**
 * Texts in a SQLite file of their own, so that a backup of the events can be kept longer than one
 * of the texts, and so that what is erased leaves the disk without the log being written anew.
 *
 *     keep    insert ─▶ commit ─▶ log on the disk ─▶ told
 *     erase   delete ─▶ commit ─▶ log on the disk ─▶ file closed ─▶ VACUUM in a thread: it is
 *             written anew from what is left ─▶ file opened again ─▶ told
 *
 * `secure_delete` alone is not enough: a page that SQLite has balanced can keep an older copy of a
 * row beside the row. SQLite holds the file for one connection, so whoever reads or keeps a text
 * waits for the thread; nobody else does.
 */
import type { StatementSync } from 'node:sqlite'
import { hashOfText, readKeptText } from '@svc/contracts/kept-text'
import { StoreClosedError, StoreFullError } from '@svc/contracts/ports/event-store'
import type { MovableTexts, OwnedText, OwnedTexts } from '@svc/contracts/ports/movable-texts'
import { type FoundText, type TextStore, TextsErasedError } from '@svc/contracts/ports/text-store'
import { type DurableFile, durableFile } from '../../sqlite/durable-file.ts'
import { readFrom, SQLITE_FULL, sqliteCodeOf } from '../../sqlite/sqlite-errors.ts'
import { type NewText, newSalt, newText, wordOf } from '../new-word.ts'
import { openTextsFile } from './texts-file.ts'
import { writtenAnew } from './writing-anew.ts'

/** Names of owners that are read at once. */
const PAGE_OWNERS = 1_000

export interface SqliteTextStoreOptions {
  /** Is called once when the disk fails under the file: the process must end. */
  readonly onFatal: (error: unknown) => void
}

/** @throws {StoreOpenError} */
export function openSqliteTextStore(
  path: string,
  options: SqliteTextStoreOptions,
): TextStore & MovableTexts {
  return new SqliteTextStore(path, options)
}

class SqliteTextStore implements TextStore, MovableTexts {
  readonly #path: string
  readonly #onFatal: (error: unknown) => void
  #rows: TextRows
  /** The rewriting of the file, which is closed meanwhile. */
  #writtenAnew: Promise<void> | undefined
  /**
   * Lets one change happen at a time: nothing may be written while the log is moved into the file.
   */
  #turn: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(path: string, { onFatal }: SqliteTextStoreOptions) {
    this.#path = path
    this.#onFatal = onFatal
    this.#rows = new TextRows(path)
  }

  async keep(owner: string, text: string): Promise<string> {
    const kept = newText(owner, text)
    return this.#inTurn((rows) => {
      const known = rows.owner(owner)
      if (known === 'erased') throw new TextsErasedError(owner)
      const salt = known ?? newSalt()
      if (known === undefined) rows.addOwner(owner, salt)
      rows.add(owner, kept)
      return wordOf(owner, salt, kept)
    })
  }

  async find(words: Iterable<string>): Promise<ReadonlyMap<string, FoundText>> {
    const rows = await this.#readable()
    const found = new Map<string, FoundText>()
    for (const word of words) {
      const { owner = '', id = '', hash } = readKeptText(word) ?? {}
      const text = rows.text(owner, id)
      if (text === undefined) continue
      const salt = rows.owner(owner)
      const isIntact = salt instanceof Uint8Array && hashOfText(salt, text) === hash
      found.set(word, { text, isIntact })
    }
    return found
  }

  async wordFor(owner: string, text: string): Promise<string> {
    const known = (await this.#readable()).owner(owner)
    const salt = known instanceof Uint8Array ? known : newSalt()
    return wordOf(owner, salt, newText(owner, text))
  }

  async count(owner: string): Promise<number> {
    return (await this.#readable()).count(owner)
  }

  async erase(...owners: readonly string[]): Promise<number> {
    const remove = (rows: TextRows): number => {
      let texts = 0
      for (const owner of owners) texts += rows.end(owner)
      return texts
    }
    return this.#inTurn(remove, () => this.#writeAnew())
  }

  async *owners(): AsyncGenerator<string> {
    for (let after = ''; ; ) {
      const page = (await this.#readable()).owners(after, PAGE_OWNERS)
      yield* page
      const last = page.at(-1)
      if (last === undefined) return
      after = last
    }
  }

  async allOf(owner: string): Promise<OwnedTexts | undefined> {
    const rows = await this.#readable()
    const known = rows.owner(owner)
    if (known === undefined) return undefined
    return { owner, salt: known === 'erased' ? undefined : known, texts: rows.texts(owner) }
  }

  async takeOver({ owner, salt, texts }: OwnedTexts): Promise<void> {
    await this.#inTurn((rows) => {
      // An owner's texts come in one transaction, so that an owner who is there is there whole.
      if (rows.owner(owner) !== undefined) return
      if (salt === undefined) rows.end(owner)
      else rows.addOwner(owner, salt)
      for (const text of texts) rows.add(owner, text)
    })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#turn
    this.#rows.file.close()
  }

  async #readable(): Promise<TextRows> {
    while (this.#writtenAnew !== undefined) await this.#writtenAnew
    if (this.#isClosed) throw new StoreClosedError()
    return this.#rows
  }

  /** @param afterwards what is done once the disk has the change */
  #inTurn<Result>(
    change: (rows: TextRows) => Result,
    afterwards?: () => Promise<void>,
  ): Promise<Result> {
    const done = this.#turn.then(() => this.#commit(change, afterwards))
    this.#turn = done.catch(() => {})
    return done
  }

  async #commit<Result>(
    change: (rows: TextRows) => Result,
    afterwards?: () => Promise<void>,
  ): Promise<Result> {
    const result = this.#inTransaction(change)
    try {
      await this.#rows.file.sync()
      await afterwards?.()
      await this.#rows.file.checkpointIfLong()
      return result
    } catch (error) {
      if (sqliteCodeOf(error) === SQLITE_FULL) throw new StoreFullError({ cause: error })
      this.#onFatal(error)
      throw error
    }
  }

  #inTransaction<Result>(change: (rows: TextRows) => Result): Result {
    if (this.#isClosed) throw new StoreClosedError()
    const { database } = this.#rows.file
    database.exec('BEGIN IMMEDIATE')
    try {
      const result = change(this.#rows)
      database.exec('COMMIT')
      return result
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      if (sqliteCodeOf(error) === SQLITE_FULL) throw new StoreFullError({ cause: error })
      throw error
    }
  }

  async #writeAnew(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#writtenAnew = promise
    try {
      this.#rows.file.close()
      try {
        await writtenAnew(this.#path)
      } finally {
        this.#rows = new TextRows(this.#path)
      }
    } finally {
      this.#writtenAnew = undefined
      resolve()
    }
  }
}

/** The rows of the open file. */
class TextRows {
  readonly file: DurableFile
  readonly #selectOwner: StatementSync
  readonly #insertOwner: StatementSync
  readonly #endOwner: StatementSync
  readonly #selectOwners: StatementSync
  readonly #selectText: StatementSync
  readonly #selectTexts: StatementSync
  readonly #insertText: StatementSync
  readonly #countTexts: StatementSync
  readonly #deleteTexts: StatementSync

  /** @throws {StoreOpenError} */
  constructor(path: string) {
    this.file = openDurable(path)
    const { database } = this.file
    this.#selectOwner = database.prepare('SELECT salt FROM owner WHERE name = ?')
    this.#selectOwners = database.prepare(
      'SELECT name FROM owner WHERE name > ? ORDER BY name LIMIT ?',
    )
    this.#insertOwner = database.prepare('INSERT INTO owner (name, salt) VALUES (?, ?)')
    this.#endOwner = database.prepare(
      `INSERT INTO owner (name, salt) VALUES (?, x'') ON CONFLICT DO UPDATE SET salt = x''`,
    )
    this.#selectText = database.prepare('SELECT text FROM text WHERE owner = ? AND id = ?')
    this.#selectTexts = database.prepare('SELECT id, text FROM text WHERE owner = ? ORDER BY id')
    this.#insertText = database.prepare('INSERT INTO text (owner, id, text) VALUES (?, ?, ?)')
    this.#countTexts = database.prepare('SELECT count(*) AS texts FROM text WHERE owner = ?')
    this.#deleteTexts = database.prepare('DELETE FROM text WHERE owner = ?')
  }

  /** The owner's salt. Of one whose texts were erased an empty one is left. */
  owner(owner: string): Uint8Array | 'erased' | undefined {
    const salt = this.#read(() => this.#selectOwner.get(owner)?.salt)
    if (!(salt instanceof Uint8Array)) return undefined
    return salt.length === 0 ? 'erased' : salt
  }

  owners(after: string, limit: number): readonly string[] {
    const rows = this.#read(() => this.#selectOwners.all(after, limit))
    return rows.map(({ name }) => String(name))
  }

  addOwner(owner: string, salt: Uint8Array): void {
    this.#insertOwner.run(owner, salt)
  }

  text(owner: string, id: string): string | undefined {
    const text = this.#read(() => this.#selectText.get(owner, id)?.text)
    return typeof text === 'string' ? text : undefined
  }

  texts(owner: string): readonly OwnedText[] {
    const rows = this.#read(() => this.#selectTexts.all(owner))
    return rows.map(({ id, text }) => ({ id: String(id), text: String(text) }))
  }

  add(owner: string, { id, text }: NewText): void {
    this.#insertText.run(owner, id, text)
  }

  count(owner: string): number {
    return Number(this.#read(() => this.#countTexts.get(owner)?.texts) ?? 0)
  }

  /** @returns how many texts the owner had */
  end(owner: string): number {
    this.#endOwner.run(owner)
    return Number(this.#deleteTexts.run(owner).changes)
  }

  /** @throws {StoreDamagedError} */
  #read<Result>(read: () => Result): Result {
    return readFrom(this.file.path, read)
  }
}

function openDurable(path: string): DurableFile {
  const file = openTextsFile(path)
  try {
    const durable = durableFile(file, path)
    durable.syncAtStart(path)
    return durable
  } catch (error) {
    file.close()
    throw error
  }
}
