/**
 * Opens a SQLite file that belongs to this process alone, or says why it cannot, before anything in
 * it is changed.
 *
 *     look at folder and header ─▶ open and lock ─▶ look at the schema ─▶ migrate ─▶ ready
 *     └──── nothing is written so far: a refusal leaves the file as it was ────┘
 *
 * The lock is SQLite's exclusive mode: the operating system drops it when the process dies, however
 * it dies, so that a killed server can be started again at once. It also keeps the index of the
 * write-ahead log in the memory of the process. The trade: nothing else can read the file
 * meanwhile.
 */
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { realPathOf } from '../system/real-path.ts'
import { readFileHeader } from './file-header.ts'
import {
  cutShort,
  foreignFile,
  inUse,
  newerSchema,
  notWritable,
  refusalOf,
  unsafeSqlite,
} from './open-errors.ts'

export interface DatabaseFileOptions {
  /** What the file is, for messages: `the event log`. */
  readonly what: string
  /** Marks the files of one kind; another number is another program's file. */
  readonly applicationId: number
  /**
   * The SQL scripts, one for each schema version, the oldest first. A script that has shipped never
   * changes.
   */
  readonly migrations: readonly string[]
  /**
   * What a commit survives. FULL: a loss of power. NORMAL: the end of the process, and the file
   * stays sound.
   */
  readonly synchronous: 'FULL' | 'NORMAL' | 'OFF'
  readonly cacheKibibytes: number
  /**
   * Pages of the log after which SQLite moves them into the file by itself; 0 when the owner does.
   */
  readonly autoCheckpointPages: number
  /** Overwrites what is deleted with zeros. */
  readonly secureDelete: boolean
}

export interface DatabaseFile {
  readonly database: DatabaseSync
  close(): void
}

const OWNER_ONLY = 0o600
/**
 * The oldest SQLite that is accepted. Older ones can damage a file in WAL mode:
 * https://sqlite.org/wal.html#walresetbug
 */
const MIN_SQLITE_VERSION = [3, 51, 3] as const
/** The log is cut back to this after a burst. */
const LOG_SIZE_LIMIT_BYTES = 64 * 1024 * 1024

/**
 * Files that this process has open, by their real paths, and files that it is opening. SQLite alone
 * would notice a second opening, but only after the look at the header had dropped the locks of the
 * first (see `readFileHeader`).
 */
const openFiles = new Map<string, DatabaseSync | 'opening'>()

/** @returns the database that this process has open at the path */
export function openDatabaseAt(path: string): DatabaseSync | undefined {
  const open = openFiles.get(realPathOf(path))
  return open === 'opening' ? undefined : open
}

/**
 * Opens the file, or makes it when there is none. The folder must exist.
 *
 * @throws {StoreOpenError}
 */
export function openDatabaseFile(path: string, options: DatabaseFileOptions): DatabaseFile {
  checkSqliteVersion(process.versions.sqlite ?? '0')
  const realPath = checkPlace(path)
  if (openFiles.has(realPath)) throw inUse(path)
  openFiles.set(realPath, 'opening')
  let database: DatabaseSync | undefined
  try {
    checkHeader(realPath, options)
    createOwnerOnly(realPath)
    database = new DatabaseSync(realPath, {
      timeout: 0,
      defensive: true,
      // Costs a look-up per row, and these schemas lean on none.
      enableForeignKeyConstraints: false,
    })
    prepareDatabase(database, realPath, options)
    openFiles.set(realPath, database)
  } catch (error) {
    database?.close()
    openFiles.delete(realPath)
    throw refusalOf(error, path)
  }
  const opened = database
  return {
    database: opened,
    close() {
      opened.close()
      openFiles.delete(realPath)
    },
  }
}

/** @returns the path without symbolic links, so that one file has one name */
function checkPlace(path: string): string {
  try {
    const realPath = realPathOf(path)
    accessSync(dirname(realPath), constants.W_OK | constants.X_OK)
    if (existsSync(realPath)) accessSync(realPath, constants.R_OK | constants.W_OK)
    return realPath
  } catch (error) {
    throw notWritable(path, error)
  }
}

/**
 * Looks at the file before SQLite does, which may write as soon as it opens one.
 *
 * @throws {StoreOpenError}
 */
export function checkHeader(
  path: string,
  {
    what,
    applicationId,
    migrations,
  }: Pick<DatabaseFileOptions, 'what' | 'applicationId' | 'migrations'>,
): void {
  if (!existsSync(path)) return
  const header = readFileHeader(path)
  if (header === 'empty') return
  if (header === 'foreign') throw foreignFile(path, what)
  if (header.applicationId === 0) return
  if (header.applicationId !== applicationId) throw foreignFile(path, what)
  if (header.userVersion > migrations.length) {
    throw newerSchema(path, header.userVersion, migrations.length)
  }
  if (sizeOf(path) < header.bytes && sizeOf(`${path}-wal`) === 0) throw cutShort(path)
}

/** A log that is not empty may have the pages that the file lacks. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function createOwnerOnly(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', OWNER_ONLY))
}

function prepareDatabase(database: DatabaseSync, path: string, options: DatabaseFileOptions): void {
  database.exec(`
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA trusted_schema = OFF;
    PRAGMA cell_size_check = ON;
    PRAGMA mmap_size = 0;
    PRAGMA temp_store = MEMORY;
    PRAGMA secure_delete = ${options.secureDelete ? 'ON' : 'OFF'};
    PRAGMA cache_size = -${options.cacheKibibytes};
  `)
  const version = checkSchema(database, path, options)
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${options.synchronous};
    PRAGMA journal_size_limit = ${LOG_SIZE_LIMIT_BYTES};
    PRAGMA wal_autocheckpoint = ${options.autoCheckpointPages};
  `)
  // A write locks the file, and here it writes nothing. Reading does not lock a file that was never
  // in WAL mode.
  database.exec('BEGIN IMMEDIATE; COMMIT')
  migrate(database, version, options)
}

/** @returns the version of the schema, 0 for a new file */
function checkSchema(
  database: DatabaseSync,
  path: string,
  { what, applicationId, migrations }: DatabaseFileOptions,
): number {
  const foundId = pragma(database, 'application_id')
  const version = pragma(database, 'user_version')
  const schema = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()
  if (foundId === 0 && schema?.tables === 0) return 0
  if (foundId !== applicationId) throw foreignFile(path, what)
  if (version > migrations.length) throw newerSchema(path, version, migrations.length)
  return version
}

/** Each migration is one transaction: a process that dies in it starts it again. */
function migrate(database: DatabaseSync, version: number, options: DatabaseFileOptions): void {
  const pending = options.migrations.slice(version)
  for (const [index, script] of pending.entries()) {
    database.exec(`BEGIN IMMEDIATE; ${script};
      PRAGMA application_id = ${options.applicationId};
      PRAGMA user_version = ${version + index + 1};
      COMMIT`)
  }
  // Brings the version into the header of the file, where an older program looks before it opens
  // it.
  if (pending.length > 0) database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
}

/** @throws {StoreOpenError} `unsafe-sqlite` */
export function checkSqliteVersion(version: string): void {
  const parts = version.split('.').map(Number)
  for (const [index, least] of MIN_SQLITE_VERSION.entries()) {
    const part = parts[index] ?? 0
    if (part > least) return
    if (part < least) throw unsafeSqlite(version)
  }
}
