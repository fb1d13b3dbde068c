/**
 * Copies a database while this process reads and writes it. The copy is the database as it was at
 * one moment, the end of the copying.
 *
 *     some pages ─▶ whoever waits for the database ─▶ some pages ─▶ …
 *
 * SQLite copies on another thread, and has the database for itself meanwhile: so it copies few
 * pages at a time. What is written in between goes into the copy too
 * (https://sqlite.org/backup.html). The last step also waits until the disk has the copy. To leave
 * little to wait for then, the copy is synced as it grows.
 */
import { closeSync, copyFileSync, existsSync, fdatasync, openSync, statSync } from 'node:fs'
import { backup, type DatabaseSync } from 'node:sqlite'
import { syncFile } from '../system/disk-sync.ts'
import { openDatabaseAt } from './database-file.ts'

const OWNER_ONLY = 0o600
/** Holds up whoever waits for the database for a part of a millisecond. */
const PAGES_AT_ONCE = 20
/** The bytes of the copy that may wait for the disk. */
const SYNC_EVERY_BYTES = 8 * 1024 * 1024

export interface CopyOptions {
  readonly signal: AbortSignal
  /** Is told, now and then, how many bytes are copied, of how many there are now. */
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * A file that this process has not open must be open nowhere.
 *
 * @param target a file that does not exist; what was copied until a failure stays in it
 * @throws the reason of the signal, or what the disk says
 */
export async function copyDatabase(
  path: string,
  target: string,
  options: CopyOptions,
): Promise<void> {
  options.signal.throwIfAborted()
  closeSync(openSync(target, 'wx', OWNER_ONLY))
  const database = openDatabaseAt(path)
  if (database === undefined) copyClosedFile(path, target)
  else await copyOpenDatabase(database, target, options)
}

/** What a killed process has left in the log of the file goes along. */
function copyClosedFile(path: string, target: string): void {
  for (const end of ['', '-wal'].filter((each) => existsSync(`${path}${each}`))) {
    copyFileSync(`${path}${end}`, `${target}${end}`)
    syncFile(`${target}${end}`)
  }
}

async function copyOpenDatabase(
  database: DatabaseSync,
  target: string,
  { signal, onProgress }: CopyOptions,
): Promise<void> {
  const pageBytes = Number(database.prepare('PRAGMA page_size').get()?.page_size)
  const growth = new SyncedGrowth(target)
  try {
    await backup(database, target, {
      rate: PAGES_AT_ONCE,
      progress({ totalPages, remainingPages }) {
        signal.throwIfAborted()
        const done = (totalPages - remainingPages) * pageBytes
        growth.grownTo(done)
        onProgress?.(done, totalPages * pageBytes)
      },
    })
  } finally {
    await growth.close()
  }
  const { size } = statSync(target)
  onProgress?.(size, size)
}

/** Has the disk take what a file has grown by, a part at a time, beside the event loop. */
class SyncedGrowth {
  readonly #file: number
  #syncedBytes = 0
  #syncing: Promise<void> | undefined

  constructor(path: string) {
    this.#file = openSync(path, 'r+')
  }

  grownTo(bytes: number): void {
    if (this.#syncing !== undefined || bytes - this.#syncedBytes < SYNC_EVERY_BYTES) return
    this.#syncedBytes = bytes
    this.#syncing = new Promise((resolve) => {
      // SQLite syncs all of it at the end, and tells what failed.
      fdatasync(this.#file, () => {
        this.#syncing = undefined
        resolve()
      })
    })
  }

  async close(): Promise<void> {
    await this.#syncing
    closeSync(this.#file)
  }
}
