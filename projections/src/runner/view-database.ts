/** Opens the SQLite database of a view, or makes it, with its tables and its checkpoint. */
import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type Position, START } from '@svc/contracts/ports/event-store'
import type { Projection, Projector } from '../projection/projection.ts'
import { ForeignFileError } from './file-trouble.ts'

/** The last event in the rows, and how many events that makes. */
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
/**
 * What a batch of a thousand accounts touches fits: a page is then written once, not many times.
 */
const CACHE_KIB = 32 * 1024
/** A rollback needs the journal, also in a file that no crash needs to survive. */
const BUILD_SETTINGS = `
  PRAGMA journal_mode = MEMORY;
  PRAGMA synchronous = OFF;`
/**
 * Every 8 MiB the write-ahead log is folded into the file, which holds up the process for a moment.
 */
export const KEEP_SETTINGS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 2000;`

export interface OpenedViewDatabase {
  readonly database: DatabaseSync
  readonly projector: Projector
  readonly isBeingBuilt: boolean
  readonly checkpoint: Checkpoint
}

export function openViewDatabase(projection: Projection, path: string): OpenedViewDatabase {
  if (isHalfBuilt(projection, path)) removeDatabase(path)
  const database = new DatabaseSync(path)
  try {
    database.exec(`
      PRAGMA trusted_schema = OFF;
      PRAGMA cell_size_check = ON;
      PRAGMA cache_size = -${CACHE_KIB};
      PRAGMA temp_store = MEMORY;`)
    const isBeingBuilt = versionOf(database) !== projection.version
    database.exec(isBeingBuilt ? BUILD_SETTINGS : KEEP_SETTINGS)
    if (isBeingBuilt) prepareSchema(database, projection, path)
    const checkpoint = readCheckpoint(database)
    return { database, projector: projection.projector(database), isBeingBuilt, checkpoint }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Left by a process that did not finish it. */
function isHalfBuilt(projection: Projection, path: string): boolean {
  const database = new DatabaseSync(path)
  try {
    return versionOf(database) === -projection.version
  } finally {
    database.close()
  }
}

/** Of a file that is being built it is negative. */
function versionOf(database: DatabaseSync): number {
  const row = database.prepare('PRAGMA user_version').get() as { user_version: number }
  return row.user_version
}

function prepareSchema(database: DatabaseSync, projection: Projection, path: string): void {
  const { tables } = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as {
    tables: number
  }
  if (tables > 0) throw new ForeignFileError(`${path} is no view of version ${projection.version}`)
  database.exec(`
    BEGIN IMMEDIATE;
    ${projection.schema}
    ${CHECKPOINT_SCHEMA}
    PRAGMA user_version = ${-projection.version};
    COMMIT;`)
}

export function readCheckpoint(database: DatabaseSync): Checkpoint {
  const row = database
    .prepare('SELECT position, stream, revision, hash, events FROM checkpoint')
    .get() as
    | { position: string; stream: string; revision: number; hash: string; events: number }
    | undefined
  if (row === undefined) return BEFORE_ALL
  return { ...row, position: BigInt(row.position) }
}

export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}
