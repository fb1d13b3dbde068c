/** Opens the SQLite database of a view, or makes it, with its tables and its checkpoint. */
import { rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { type Position, START } from '@svc/contracts/ports/event-store'
import type { Projection, Projector } from '../../projection/projection.ts'
import { select, selectOne } from '../../projection/select.ts'
import { ForeignFileError } from './file-trouble.ts'
import { SetAsideStreams } from './set-aside-streams.ts'

/** The last event in the rows, and how many events were folded up to it. */
export interface Checkpoint {
  readonly position: Position
  readonly stream: string
  readonly revision: number
  readonly hash: string
  readonly events: number
}

const BEFORE_ALL: Checkpoint = { position: START, stream: '', revision: -1, hash: '', events: 0 }

const CHECKPOINT_SCHEMA = `
  CREATE TABLE checkpoint (
    one       INTEGER PRIMARY KEY CHECK (one = 1),
    position  TEXT NOT NULL,
    stream    TEXT NOT NULL,
    revision  INTEGER NOT NULL,
    hash      TEXT NOT NULL,
    events    INTEGER NOT NULL
  ) STRICT;
  INSERT INTO checkpoint VALUES (1, '${START}', '', -1, '', 0);
`
/** Streams that were found damaged: the rows may hold what was wrong in them. */
const DISTRUSTED_SCHEMA = `
  CREATE TABLE IF NOT EXISTS distrusted (
    stream    TEXT PRIMARY KEY
  ) STRICT, WITHOUT ROWID;
`
/**
 * The cache of a file that is being built: it holds what a batch of a thousand accounts touches, so
 * that a page is written once and not many times.
 */
const CACHE_KIB = 32 * 1024
/** The cache of a view that serves: its batches are small, and there are several views. */
const KEPT_CACHE_KIB = 8 * 1024
/** A rollback needs the journal, also in a file that no crash needs to survive. */
const BUILD_SETTINGS = `
  PRAGMA journal_mode = MEMORY;
  PRAGMA synchronous = OFF;`
/** The settings of a kept file. The {@link KeptFile} sees to what the disk must have, and when. */
const KEEP_SETTINGS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = OFF;
  PRAGMA wal_autocheckpoint = 0;
  PRAGMA cache_size = -${KEPT_CACHE_KIB};`

/**
 * The write-ahead log of a file that is kept. It sees to it that after a loss of power the last
 * transactions may be missing, never half of one; it waits for the disk beside the event loop.
 */
export interface KeptFile {
  /** Folds the log into the file once it is long. Nothing may be written meanwhile. */
  checkpointIfLong(): Promise<void>
  /** Closes the database too, with all of it on the disk. */
  close(): void
  /**
   * Closes the file as {@link KeptFile.close} does, where it is thrown away, or synced by another.
   */
  closeUnsynced(): void
}

export type KeepFile = (file: { database: DatabaseSync; close(): void }, path: string) => KeptFile

/** Makes a database one that is kept. */
export function keepDatabase(database: DatabaseSync, path: string, keepFile: KeepFile): KeptFile {
  database.exec(KEEP_SETTINGS)
  // Makes the log, where there is none.
  database.exec('BEGIN IMMEDIATE; COMMIT')
  return keepFile({ database, close: () => database.close() }, path)
}

export interface OpenedViewDatabase {
  readonly database: DatabaseSync
  readonly projector: Projector
  /** The kept file; undefined while the file is being built. */
  readonly kept: KeptFile | undefined
  readonly checkpoint: Checkpoint
  readonly setAside: SetAsideStreams
}

export function openViewDatabase(
  projection: Projection,
  path: string,
  keepFile: KeepFile,
): OpenedViewDatabase {
  if (isHalfBuilt(projection, path)) removeDatabase(path)
  const database = new DatabaseSync(path)
  try {
    database.exec(`
      PRAGMA trusted_schema = OFF;
      PRAGMA cell_size_check = ON;
      PRAGMA cache_size = -${CACHE_KIB};
      PRAGMA temp_store = MEMORY;`)
    const isKept = versionOf(database) === projection.version
    if (!isKept) {
      database.exec(BUILD_SETTINGS)
      prepareSchema(database, projection, path)
    }
    const kept = isKept ? keepDatabase(database, path, keepFile) : undefined
    // A file from before there was such a table gets it here, empty.
    database.exec(DISTRUSTED_SCHEMA)
    const setAside = new SetAsideStreams(database)
    const checkpoint = readCheckpoint(database)
    return { database, projector: projection.projector(database), kept, checkpoint, setAside }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Tells whether a process left the file without having finished it. */
function isHalfBuilt(projection: Projection, path: string): boolean {
  const database = new DatabaseSync(path)
  try {
    return versionOf(database) === -projection.version
  } finally {
    database.close()
  }
}

/** The version of the file: negative while it is being built. */
function versionOf(database: DatabaseSync): number {
  return selectOne<{ user_version: number }>(database, 'PRAGMA user_version').get().user_version
}

function prepareSchema(database: DatabaseSync, projection: Projection, path: string): void {
  const sql = 'SELECT count(*) AS tables FROM sqlite_schema'
  const { tables } = selectOne<{ tables: number }>(database, sql).get()
  if (tables > 0) throw new ForeignFileError(`${path} is no view of version ${projection.version}`)
  database.exec(`
    BEGIN IMMEDIATE;
    ${projection.schema}
    ${CHECKPOINT_SCHEMA}
    PRAGMA user_version = ${-projection.version};
    COMMIT;`)
}

/** Remembers that the rows may hold what was wrong in a stream, for the life of the file. */
export function distrust(database: DatabaseSync, stream: string): void {
  database.prepare('INSERT OR IGNORE INTO distrusted VALUES (?)').run(stream)
}

export function isDistrusted(database: DatabaseSync, stream: string): boolean {
  return database.prepare('SELECT 1 FROM distrusted WHERE stream = ?').get(stream) !== undefined
}

interface StoredCheckpoint extends Omit<Checkpoint, 'position'> {
  readonly position: string
}

export function readCheckpoint(database: DatabaseSync): Checkpoint {
  const sql = 'SELECT position, stream, revision, hash, events FROM checkpoint'
  const row = select<StoredCheckpoint>(database, sql).get()
  if (row === undefined) return BEFORE_ALL
  return { ...row, position: BigInt(row.position) }
}

const FILES = ['', '-wal', '-shm'] as const

export function removeDatabase(path: string): void {
  for (const suffix of FILES) rmSync(path + suffix, { force: true })
}

/**
 * Removes the file beside the event loop: freeing the pages of a large file takes tens of
 * milliseconds.
 */
export async function removeLargeDatabase(path: string): Promise<void> {
  for (const suffix of FILES) await rm(path + suffix, { force: true })
}
