/**
 * One view in one SQLite file: its rows, and the checkpoint that says which events are in them.
 * Events are folded in memory; a commit writes what came of them.
 *
 * A file for each view, so that a damaged one costs only itself, a rebuild builds beside it, and
 * the swap is one rename. Rows and checkpoint change in one transaction: an event is in the rows
 * exactly once.
 *
 *     being built ── finish ──▶ kept
 *
 * A file that is being built is marked so and has no journal on disk: after a crash it is thrown
 * away and built again, so what would make it safe would only make it slow. A kept one has a
 * write-ahead log with `synchronous=NORMAL`: after a power cut the last transactions may be
 * missing, never half of one. They are then folded again from the log, which is the source; waiting
 * for the disk would buy nothing.
 */
import { closeSync, fsyncSync, linkSync, openSync, renameSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { DecodedEvent } from '../projection/decode.ts'
import type { Projection, Projector } from '../projection/projection.ts'
import {
  type Checkpoint,
  KEEP_SETTINGS,
  openViewDatabase,
  readCheckpoint,
  removeDatabase,
} from './view-database.ts'

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
  #isBeingBuilt: boolean
  #committed: Checkpoint
  #folded: Checkpoint
  readonly #steps: CommitSteps

  /**
   * Opens the file, or begins to build it.
   *
   * @throws when it is damaged, as {@link isDamage} tells
   */
  constructor(projection: Projection, path: string, steps: CommitSteps) {
    this.projection = projection
    this.path = path
    this.#steps = steps
    const opened = openViewDatabase(projection, path)
    this.#database = opened.database
    this.#projector = opened.projector
    this.#isBeingBuilt = opened.isBeingBuilt
    this.#committed = opened.checkpoint
    this.#folded = opened.checkpoint
  }

  /** The last event in the rows that readers see. */
  get committed(): Checkpoint {
    return this.#committed
  }

  /** The last event that was folded; the next one comes behind it. */
  get folded(): Checkpoint {
    return this.#folded
  }

  get uncommittedEvents(): number {
    return this.#folded.events - this.#committed.events
  }

  /** For queries. Never kept: another one takes its place when the file is reset or replaced. */
  get database(): DatabaseSync {
    return this.#database
  }

  /**
   * Folds the events in memory.
   *
   * @throws with the view back at its last commit
   */
  fold(events: readonly DecodedEvent[]): void {
    const last = events.at(-1)?.recorded
    if (last === undefined) return
    try {
      this.#projector.fold(events)
    } catch (error) {
      this.#rollBack()
      throw error
    }
    const { position, stream, revision, hash } = last
    const count = this.#folded.events + events.length
    this.#folded = { position, stream, revision, hash, events: count }
  }

  /**
   * Writes the rows and their checkpoint, together.
   *
   * @throws with the view back at its last commit
   */
  commit(): void {
    if (!this.#database.isOpen || this.uncommittedEvents === 0) return
    const { position, stream, revision, hash, events } = this.#folded
    try {
      this.#database.exec('BEGIN IMMEDIATE')
      this.#projector.flush()
      this.#database
        .prepare(
          'UPDATE checkpoint SET position = ?, stream = ?, revision = ?, hash = ?, events = ?',
        )
        .run(position.toString(), stream, revision, hash, events)
      this.#steps.beforeCommit()
      this.#database.exec('COMMIT')
    } catch (error) {
      this.#rollBack()
      throw error
    }
    this.#committed = this.#folded
    this.#steps.afterCommit()
  }

  /** Lets the disk take what is committed of a file being built, so that the finish is short. */
  async syncToDisk(): Promise<void> {
    if (!this.#isBeingBuilt) return
    const file = await open(this.path, 'r+')
    try {
      await file.sync()
    } finally {
      await file.close()
    }
  }

  /** Commits, and makes a file that is being built one that is kept. */
  finish(): void {
    this.commit()
    if (!this.#isBeingBuilt || !this.#database.isOpen) return
    syncToDiskAtOnce(this.path)
    this.#database.exec(KEEP_SETTINGS)
    this.#database.exec(`PRAGMA user_version = ${this.projection.version}`)
    this.#isBeingBuilt = false
  }

  /** A second connection that sees the rows as they are now, however long it reads. */
  openSnapshot(): { database: DatabaseSync; checkpoint: Checkpoint; close(): void } {
    this.finish()
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

  /**
   * Takes the place of this file's content by that of another, in one rename. Freeing the pages of
   * the old content takes tens of milliseconds for a large view: resolves when that, which holds up
   * nobody, is done. The new content serves as soon as this was called.
   */
  replaceWith(built: ViewFile): Promise<void> {
    // Closing folds the write-ahead logs into the files: only the files themselves remain.
    built.finish()
    built.close()
    this.close()
    const isKept = keepContent(this.path)
    renameSync(built.path, this.path)
    this.#reopen()
    // What cannot be removed now is removed at the next start.
    return isKept ? rm(replacedPath(this.path), { force: true }).catch(() => {}) : Promise.resolve()
  }

  /** What is not committed is given up: the log has it. */
  close(): void {
    if (this.#database.isOpen) this.#database.close()
  }

  #rollBack(): void {
    this.#projector.forget()
    this.#folded = this.#committed
    // SQLite rolls back by itself when the disk is full, but not always.
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
  }

  #reopen(): void {
    const opened = openViewDatabase(this.projection, this.path)
    this.#database = opened.database
    this.#projector = opened.projector
    this.#isBeingBuilt = opened.isBeingBuilt
    this.#committed = opened.checkpoint
    this.#folded = opened.checkpoint
    this.generation += 1
  }
}

export function viewPath(folder: string, { name, version }: Projection): string {
  return join(folder, `${name}-v${version}.db`)
}

/** A second name for the content of a file that is about to be replaced. */
function replacedPath(path: string): string {
  return `${path}.replaced`
}

/** Gives the content its second name. @returns false where the file system has no such names */
function keepContent(path: string): boolean {
  try {
    removeDatabase(replacedPath(path))
    linkSync(path, replacedPath(path))
    return true
  } catch {
    return false
  }
}

function syncToDiskAtOnce(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
