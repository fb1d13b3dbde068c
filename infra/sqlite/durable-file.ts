/**
 * Waits for the disk beside the event loop, in place of SQLite, which would wait on it.
 *
 *     commit ─▶ log on the disk ─▶ told                every batch
 *     log on the disk ─▶ its pages into the file ─▶ file on the disk ─▶ the log begins again
 *                                                      when the log is long
 *
 * SQLite is told to sync nothing (`synchronous=OFF`); these are the syncs that its write-ahead log
 * needs (https://sqlite.org/wal.html), in their order. A disk can take a tenth of a second for one:
 * nobody but those who wait for it must notice.
 *
 * Two rules for the owner: what was committed is told to nobody before {@link DurableFile.sync} has
 * resolved, and nothing is written while {@link DurableFile.checkpointIfLong} runs, because the
 * next write may begin the log again.
 */
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { syncFolder } from '../system/disk-sync.ts'
import type { DatabaseFile } from './database-file.ts'
import { SQLITE_FULL, sqliteCodeOf } from './sqlite-errors.ts'

const syncToDisk = promisify(fdatasync)

/**
 * The pages of the log before a checkpoint, 4 MiB. A longer log holds up the event loop for longer
 * each time, and was seen to be no faster.
 */
const CHECKPOINT_PAGES = 1_000

/** A database that is open: the file of a view, or the event log. */
export type OpenDatabase = Pick<DatabaseFile, 'database' | 'close'>

export class DurableFile {
  readonly path: string
  readonly database: DatabaseSync
  readonly #owner: OpenDatabase
  /**
   * The descriptor that syncs the file. It is closed after the database, because closing any
   * descriptor of a file drops its locks (POSIX).
   */
  readonly #file: number
  readonly #log: number
  readonly #logPages: StatementSync
  readonly #checkpoint: StatementSync

  /** Takes over a file in WAL mode that has its log. */
  constructor(owner: OpenDatabase, path: string) {
    this.path = path
    this.#owner = owner
    this.database = owner.database
    this.database.exec('PRAGMA synchronous = OFF')
    this.#logPages = this.database.prepare('PRAGMA wal_checkpoint(NOOP)')
    this.#checkpoint = this.database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
    this.#file = openSync(path, 'r+')
    this.#log = openSync(`${path}-wal`, 'r+')
  }

  /**
   * Waits, at the start, until the disk has what an earlier process has left in the log, and the
   * names of both files.
   *
   * @throws when the disk fails
   */
  syncAtStart(path: string): void {
    fdatasyncSync(this.#log)
    syncFolder(dirname(path))
  }

  /** Resolves when the disk has all that was committed before. Rejects when the disk fails. */
  sync(): Promise<void> {
    return syncToDisk(this.#log)
  }

  /** Moves the log into the file once it is long. Rejects when the disk fails. */
  async checkpointIfLong(): Promise<void> {
    if (Number(this.#logPages.get()?.log) < CHECKPOINT_PAGES) return
    await this.sync()
    try {
      this.#checkpoint.get()
    } catch (error) {
      // A full disk only puts it off: the log holds everything.
      if (sqliteCodeOf(error) === SQLITE_FULL) return
      throw error
    }
    await syncToDisk(this.#file)
  }

  /** Closes the database too: SQLite moves the log into the file and syncs it, as ever. */
  close(): void {
    // A commit that failed leaves a transaction open.
    if (this.database.isTransaction) this.database.exec('ROLLBACK')
    this.database.exec('PRAGMA synchronous = FULL')
    this.closeUnsynced()
  }

  /**
   * Closes the file as {@link close} does, where no loss of power can hurt it, or where it is
   * synced afterwards.
   */
  closeUnsynced(): void {
    this.#owner.close()
    closeSync(this.#file)
    closeSync(this.#log)
  }
}

/** Takes over an open database in WAL mode. */
export function durableFile(owner: OpenDatabase, path: string): DurableFile {
  return new DurableFile(owner, path)
}
