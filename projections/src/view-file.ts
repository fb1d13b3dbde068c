/**
 * One view in one SQLite file: its rows, and the checkpoint that says which events are in them.
 *
 * A file for each view, so that a damaged one costs only itself, a rebuild builds beside it, and
 * the swap is one rename. Rows and checkpoint change in one transaction: an event is in the rows
 * exactly once.
 *
 * `synchronous=NORMAL`: after a power cut the last transactions may be missing, never half of one.
 * They are then folded again from the log, which is the source; waiting for the disk would buy
 * nothing.
 */
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Position, START } from '@svc/contracts/event-store'
import type { DecodedEvent } from './decode.ts'
import type { Projection, Projector } from './projection.ts'

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
const SQLITE_CORRUPT = 11
const SQLITE_NOT_A_DATABASE = 26
const PRIMARY_CODE_MASK = 0xff

/** Called at the end of a transaction, and after it. */
export interface CommitSteps {
  beforeCommit(): void
  afterCommit(): void
}

export class ViewFile {
  readonly projection: Projection
  readonly path: string
  /** Counts the openings: a prepared statement lives no longer than one of them. */
  generation = 0
  #database: DatabaseSync
  #projector: Projector
  #checkpoint: Checkpoint
  #uncommitted = 0
  readonly #steps: CommitSteps

  private constructor(
    projection: Projection,
    path: string,
    steps: CommitSteps,
    opened: OpenedFile,
  ) {
    this.projection = projection
    this.path = path
    this.#steps = steps
    this.#database = opened.database
    this.#projector = opened.projector
    this.#checkpoint = opened.checkpoint
  }

  /**
   * Opens the file, or makes it.
   *
   * @throws when it is damaged, as {@link isDamage} tells
   */
  static open(projection: Projection, path: string, steps: CommitSteps): ViewFile {
    return new ViewFile(projection, path, steps, openFile(projection, path))
  }

  /** The last event in the rows, also when they are not committed yet. */
  get checkpoint(): Checkpoint {
    return this.#checkpoint
  }

  get uncommittedEvents(): number {
    return this.#uncommitted
  }

  /** For queries. Never kept: another one takes its place when the file is reset or replaced. */
  get database(): DatabaseSync {
    return this.#database
  }

  /**
   * Folds the events into the rows, all or none, and leaves the transaction open: a later `commit`
   * writes a page once that many batches have touched.
   */
  apply(events: readonly DecodedEvent[]): void {
    const last = events.at(-1)?.recorded
    if (last === undefined) return
    if (!this.#database.isTransaction) this.#database.exec('BEGIN IMMEDIATE')
    this.#database.exec('SAVEPOINT batch')
    try {
      this.#projector.apply(events)
    } catch (error) {
      this.#projector.forget()
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK TO batch; RELEASE batch')
      throw error
    }
    this.#database.exec('RELEASE batch')
    const { position, stream, revision, hash } = last
    const count = this.#checkpoint.events + events.length
    this.#checkpoint = { position, stream, revision, hash, events: count }
    this.#uncommitted += events.length
  }

  /** Makes the rows and their checkpoint stay, together. */
  commit(): void {
    if (!this.#database.isOpen || !this.#database.isTransaction) return
    const { position, stream, revision, hash, events } = this.#checkpoint
    this.#database
      .prepare('UPDATE checkpoint SET position = ?, stream = ?, revision = ?, hash = ?, events = ?')
      .run(position.toString(), stream, revision, hash, events)
    this.#steps.beforeCommit()
    this.#database.exec('COMMIT')
    this.#uncommitted = 0
    this.#steps.afterCommit()
  }

  /** A second connection that sees the rows as they are now, however long it reads. */
  openSnapshot(): { database: DatabaseSync; checkpoint: Checkpoint; close(): void } {
    this.commit()
    const database = new DatabaseSync(this.path, { readOnly: true })
    database.exec('BEGIN')
    return {
      database,
      checkpoint: readCheckpoint(database),
      close: () => database.close(),
    }
  }

  /** Starts again with an empty file. */
  reset(): void {
    this.close()
    removeDatabase(this.path)
    this.#reopen()
  }

  /** Takes the place of this file's content by that of another, in one rename. */
  replaceWith(built: ViewFile): void {
    // Closing folds the write-ahead logs into the files: only the files themselves remain.
    built.commit()
    built.close()
    this.close()
    renameSync(built.path, this.path)
    this.#reopen()
  }

  /** What is not committed is given up: the log has it. */
  close(): void {
    if (this.#database.isOpen) this.#database.close()
  }

  #reopen(): void {
    const opened = openFile(this.projection, this.path)
    this.#database = opened.database
    this.#projector = opened.projector
    this.#checkpoint = opened.checkpoint
    this.#uncommitted = 0
    this.generation += 1
  }
}

export function viewPath(folder: string, { name, version }: Projection): string {
  return join(folder, `${name}-v${version}.db`)
}

export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/** Whether SQLite found the file damaged, or no view of this version: then only a new one helps. */
export function isDamage(error: unknown): boolean {
  if (error instanceof ForeignFileError) return true
  if (!(error instanceof Error && 'errcode' in error)) return false
  const code = Number(error.errcode) & PRIMARY_CODE_MASK
  return code === SQLITE_CORRUPT || code === SQLITE_NOT_A_DATABASE
}

class ForeignFileError extends Error {
  override readonly name = 'ForeignFileError'
}

interface OpenedFile {
  readonly database: DatabaseSync
  readonly projector: Projector
  readonly checkpoint: Checkpoint
}

function openFile(projection: Projection, path: string): OpenedFile {
  const database = new DatabaseSync(path)
  try {
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA trusted_schema = OFF;
      PRAGMA cell_size_check = ON;
      PRAGMA cache_size = -${CACHE_KIB};
      PRAGMA temp_store = MEMORY;
      PRAGMA wal_autocheckpoint = 10000;`)
    prepareSchema(database, projection, path)
    const checkpoint = readCheckpoint(database)
    return { database, projector: projection.projector(database), checkpoint }
  } catch (error) {
    database.close()
    throw error
  }
}

function prepareSchema(database: DatabaseSync, projection: Projection, path: string): void {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as {
    user_version: number
  }
  if (version === projection.version) return
  const { tables } = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as {
    tables: number
  }
  if (tables > 0) throw new ForeignFileError(`${path} is no view of version ${projection.version}`)
  database.exec(`
    BEGIN IMMEDIATE;
    ${projection.schema}
    ${CHECKPOINT_SCHEMA}
    PRAGMA user_version = ${projection.version};
    COMMIT;`)
}

function readCheckpoint(database: DatabaseSync): Checkpoint {
  const row = database
    .prepare('SELECT position, stream, revision, hash, events FROM checkpoint')
    .get() as
    | { position: string; stream: string; revision: number; hash: string; events: number }
    | undefined
  if (row === undefined) return BEFORE_ALL
  return { ...row, position: BigInt(row.position) }
}
