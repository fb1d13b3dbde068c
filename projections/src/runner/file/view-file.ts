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
 * away and built again, so what would make it safe would only make it slow. It commits seldom, so
 * that rows which change again and again are written once for many events, and its commits are cut
 * into steps: who reads it meanwhile may see a part of one. A kept one has a
 * write-ahead log: after a power cut the last transactions may be missing, never half of one. They
 * are then folded again from the event log, which is the source; no commit waits for the disk.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import { inSteps, type Pace, stepSize } from '@svc/contracts/ports/pace'
import type { DecodedBatch } from '../../projection/decode.ts'
import type { Projection, Projector } from '../../projection/projection.ts'
import { replaceContent, syncToDisk } from './file-content.ts'
import type { SetAside, SetAsideStreams } from './set-aside-streams.ts'
import {
  type Checkpoint,
  type KeepFile,
  type KeptFile,
  keepDatabase,
  openViewDatabase,
  readCheckpoint,
  removeDatabase,
} from './view-database.ts'

/**
 * After how many events a kept file commits while it catches up; a commit takes a few milliseconds.
 * The end of the log has its own rule (`live-commits.ts`).
 */
const COMMIT_EVENTS = 2_000
/** A file that is being built writes rows that hardly change after this many, in 1 to 2 ms. */
const WRITE_EVENTS = 1_000
/** A file that is being built commits after this many. */
const BUILD_COMMIT_EVENTS = 20_000
/** How many rows one step writes, in about a millisecond. */
const ROWS_PER_STEP = 500

export interface ViewPorts {
  readonly keepFile: KeepFile
  /** Is called at the end of a transaction, as `afterCommit` is after it. */
  beforeCommit(): void
  afterCommit(): void
}

export interface ViewSnapshot {
  readonly database: DatabaseSync
  readonly checkpoint: Checkpoint
  close(): void
}

export class ViewFile {
  readonly projection: Projection
  readonly path: string
  /** Counts the openings: a prepared statement lives no longer than one of them. */
  generation = 0
  #database: DatabaseSync
  #projector: Projector
  /** The kept file; undefined while the file is being built. */
  #kept: KeptFile | undefined
  #committed: Checkpoint
  #folded: Checkpoint
  /** How many of the folded events have their passing rows written. */
  #writtenEvents: number
  #buildCommitEvents = BUILD_COMMIT_EVENTS
  #setAside: SetAsideStreams
  readonly #ports: ViewPorts

  /**
   * Opens the file, or begins to build it.
   *
   * @throws when it is damaged, as {@link isDamage} tells
   */
  constructor(projection: Projection, path: string, ports: ViewPorts) {
    this.projection = projection
    this.path = path
    this.#ports = ports
    const opened = openViewDatabase(projection, path, ports.keepFile)
    this.#database = opened.database
    this.#projector = opened.projector
    this.#kept = opened.kept
    this.#committed = opened.checkpoint
    this.#folded = opened.checkpoint
    this.#writtenEvents = opened.checkpoint.events
    this.#setAside = opened.setAside
  }

  /** Streams that the rows follow only up to a revision: what stands there cannot be folded. */
  get setAside(): SetAside {
    return this.#setAside.holes
  }

  /** The last event in the rows that readers see. */
  get committed(): Checkpoint {
    return this.#committed
  }

  /** The last event that was folded; the next one comes behind it. */
  get folded(): Checkpoint {
    return this.#folded
  }

  get isBeingBuilt(): boolean {
    return this.#kept === undefined
  }

  get uncommittedEvents(): number {
    return this.#folded.events - this.#committed.events
  }

  /**
   * The database, for queries. Nobody may keep it: another one takes its place when the file is
   * reset or replaced.
   */
  get database(): DatabaseSync {
    return this.#database
  }

  /**
   * Folds the events in memory. Streams of which one cannot be read are set aside from there on.
   *
   * @throws with the view back at its last commit
   */
  fold(batch: DecodedBatch): void {
    const last = batch.recorded.at(-1)
    if (last === undefined) return
    for (const { recorded, cause } of batch.unreadable) this.leaveOut(recorded, cause)
    try {
      this.#projector.fold(this.#setAside.followed(batch.events), batch.recorded)
    } catch (error) {
      this.#rollBack()
      throw error
    }
    const { position, stream, revision, hash } = last
    const count = this.#folded.events + batch.recorded.length
    this.#folded = { position, stream, revision, hash, events: count }
  }

  /**
   * Leaves out a stream: from this event on it is in no row, for the rest of the life of the file.
   */
  leaveOut(event: Pick<RecordedEvent, 'stream' | 'revision'>, cause: string): void {
    this.#setAside.add(event, cause)
  }

  /**
   * Writes the rows and their checkpoint, together.
   *
   * @throws with the view back at its last commit
   */
  commit(): void {
    for (const _ of this.#commitSteps());
  }

  /**
   * Commits or writes while the file catches up, once enough was folded. Nothing may be folded or
   * committed until this has resolved.
   *
   * @throws with the view back at its last commit
   */
  async commitIfLong(pace: Pace): Promise<void> {
    const isLong = this.uncommittedEvents >= stepSize(pace, this.#commitEvents())
    if (this.#kept === undefined && isLong) await this.#commitInSteps(pace)
    else if (isLong) await pace.step(() => this.commit())
    else if (this.#folded.events - this.#writtenEvents >= stepSize(pace, WRITE_EVENTS)) {
      await pace.step(() => this.#writePassing())
    }
    await this.checkpointIfLong()
  }

  /**
   * Commits, and makes a file that is being built one that is kept. Nothing may be folded or
   * committed until it has resolved.
   *
   * @param pace of a commit that may be long. Default: it is made at once
   */
  async finish(pace?: Pace): Promise<void> {
    if (this.#kept === undefined && pace !== undefined) await this.#commitInSteps(pace)
    this.commit()
    if (!this.#database.isOpen) return
    await this.checkpointIfLong()
    if (this.#kept !== undefined) return
    await syncToDisk(this.path)
    this.#kept = keepDatabase(this.#database, this.path, this.#ports.keepFile)
    this.#database.exec(`PRAGMA user_version = ${this.projection.version}`)
  }

  /** Keeps the log of a kept file short. As with {@link finish}, nothing may be done meanwhile. */
  async checkpointIfLong(): Promise<void> {
    await this.#kept?.checkpointIfLong()
  }

  /** A second connection that sees the rows as they are now, however long it reads. */
  async openSnapshot(): Promise<ViewSnapshot> {
    await this.finish()
    const database = new DatabaseSync(this.path, { readOnly: true })
    try {
      database.exec('BEGIN')
      const checkpoint = readCheckpoint(database)
      return { database, checkpoint, close: () => database.close() }
    } catch (error) {
      database.close()
      throw error
    }
  }

  /** Starts again with an empty file. */
  reset(): void {
    this.#closeUnsynced()
    removeDatabase(this.path)
    this.#reopen()
  }

  /**
   * Commits a file that is being built, and brings all that was folded to the disk, so that
   * {@link complete} takes no longer than it must.
   */
  async prepare(pace: Pace): Promise<void> {
    await this.#commitInSteps(pace)
    await syncToDisk(this.path)
  }

  /** Ends the building: commits, marks the file as one to be kept, and closes it. */
  async complete(): Promise<void> {
    this.commit()
    this.#database.exec(`PRAGMA user_version = ${this.projection.version}`)
    this.#database.close()
    await syncToDisk(this.path)
  }

  /**
   * Takes the place of this file's content by that of a completed one, in one rename.
   *
   * @returns what resolves when the old content is gone: freeing its pages takes a while and holds
   *   up nobody
   */
  replaceBy(completedPath: string): { readonly freed: Promise<void> } {
    this.#closeUnsynced()
    const { free } = replaceContent(this.path, completedPath)
    this.#reopen()
    return { freed: free() }
  }

  /** Closes the file, and gives up what is not committed: the log has it. */
  close(): void {
    if (!this.#database.isOpen) return
    if (this.#kept === undefined) this.#database.close()
    else this.#kept.close()
  }

  /** Closes a file that is thrown away, or synced afterwards. */
  #closeUnsynced(): void {
    if (!this.#database.isOpen) return
    if (this.#kept === undefined) this.#database.close()
    else this.#kept.closeUnsynced()
  }

  #commitEvents(): number {
    return this.#kept === undefined ? this.#buildCommitEvents : COMMIT_EVENTS
  }

  #commitInSteps(pace: Pace): Promise<void> {
    return inSteps(pace, this.#commitSteps(), ROWS_PER_STEP, () => {})
  }

  *#commitSteps(): Generator<unknown> {
    if (!this.#database.isOpen || this.uncommittedEvents === 0) return
    const { position, stream, revision, hash, events } = this.#folded
    try {
      this.#begin()
      yield* this.#projector.flush()
      this.#setAside.write(this.#database)
      this.#database
        .prepare(
          'UPDATE checkpoint SET position = ?, stream = ?, revision = ?, hash = ?, events = ?',
        )
        .run(position.toString(), stream, revision, hash, events)
      this.#ports.beforeCommit()
      this.#database.exec('COMMIT')
    } catch (error) {
      this.#rollBack()
      throw error
    }
    this.#committed = this.#folded
    this.#writtenEvents = events
    this.#setAside.committed()
    this.#ports.afterCommit()
  }

  #writePassing(): void {
    try {
      this.#begin()
      this.#projector.writePassing()
    } catch (error) {
      this.#rollBack()
      throw error
    }
    this.#writtenEvents = this.#folded.events
  }

  #begin(): void {
    if (!this.#database.isTransaction) this.#database.exec('BEGIN IMMEDIATE')
  }

  #rollBack(): void {
    this.#projector.forget()
    this.#folded = this.#committed
    this.#writtenEvents = this.#committed.events
    // Where one event cannot be folded there may be others, so shorter stretches are folded once
    // more for them.
    this.#buildCommitEvents = COMMIT_EVENTS
    this.#setAside.rolledBack()
    // SQLite rolls back by itself when the disk is full, but not in every case.
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
  }

  #reopen(): void {
    const opened = openViewDatabase(this.projection, this.path, this.#ports.keepFile)
    this.#database = opened.database
    this.#projector = opened.projector
    this.#kept = opened.kept
    this.#committed = opened.checkpoint
    this.#folded = opened.checkpoint
    this.#writtenEvents = opened.checkpoint.events
    this.#buildCommitEvents = BUILD_COMMIT_EVENTS
    this.#setAside = opened.setAside
    this.generation += 1
  }
}

export function viewPath(folder: string, { name, version }: Projection): string {
  return join(folder, `${name}-v${version}.db`)
}
