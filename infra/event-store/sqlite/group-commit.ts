/**
 * Writes batches of appends, one transaction each.
 *
 * What can go wrong in a transaction, and what it means:
 *
 *     an event id is stored elsewhere  → that append is refused; the others are written
 *     the disk is full                 → all is rolled back and refused; later appends may succeed
 *     anything else, commit included   → whether the batch is durable is unknown, and so is what
 *                                        the disk will do next: no more work until a restart
 */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import { type AppendOutcome, StoreFullError } from '@svc/contracts/ports/event-store'
import { RecentlyUsed } from '../../recently-used.ts'
import { SQLITE_CONSTRAINT, SQLITE_FULL, sqliteCodeOf } from '../../sqlite/sqlite-errors.ts'
import type { QueuedAppend } from './append-queue.ts'
import { AppendTransaction, type KnownHead } from './append-transaction.ts'
import type { EventRows } from './event-rows.ts'

/** An id names one event. Expecting the right revision, a caller gave an id that is taken. */
export class EventIdTakenError extends RangeError {
  override readonly name = 'EventIdTakenError'

  constructor(stream: string, options: ErrorOptions) {
    super(`an event for ${stream} has the id of an event that is stored already`, options)
  }
}

/** Heads that are kept in memory: about 250 bytes each. */
const MAX_CACHED_HEADS = 20_000
/**
 * 4 MiB of log. Longer holds up the event loop for longer each time, and was seen to be no faster.
 */
const CHECKPOINT_PAGES = 1_000

export class GroupCommit {
  readonly #database: DatabaseSync
  readonly #rows: EventRows
  readonly #reachCrashPoint: ReachCrashPoint
  readonly #heads = new RecentlyUsed<string, KnownHead>({ entriesMax: MAX_CACHED_HEADS })
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #logPages: StatementSync
  readonly #checkpoint: StatementSync
  #lastPosition: number

  constructor(database: DatabaseSync, rows: EventRows, reachCrashPoint: ReachCrashPoint) {
    this.#database = database
    this.#rows = rows
    this.#reachCrashPoint = reachCrashPoint
    this.#begin = database.prepare('BEGIN IMMEDIATE')
    this.#commit = database.prepare('COMMIT')
    this.#logPages = database.prepare('PRAGMA wal_checkpoint(NOOP)')
    this.#checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
    this.#lastPosition = rows.lastPosition()
  }

  /** Position of the last durable event, -1 without events. */
  get lastPosition(): number {
    return this.#lastPosition
  }

  /**
   * Settles every append of the batch.
   *
   * @throws when the disk has failed; the appends are settled as unknown then
   */
  write(batch: readonly QueuedAppend[]): void {
    let rest = batch
    try {
      while (rest.length > 0) {
        const refused = this.#tryWrite(rest)
        if (refused === undefined) return
        rest = rest.filter((append) => append !== refused)
      }
    } catch (error) {
      this.#settleFailure(rest, error)
    }
  }

  /**
   * Moves the log into the file once it is long. Apart from the commits, so that nobody waits for
   * it and an error of the disk is seen.
   *
   * @throws when the disk fails
   */
  checkpointIfLong(): void {
    if (Number(this.#logPages.get()?.log) < CHECKPOINT_PAGES) return
    try {
      this.#checkpoint.get()
    } catch (error) {
      // A full disk only puts it off: the log holds everything.
      if (sqliteCodeOf(error) !== SQLITE_FULL) throw error
    }
  }

  /**
   * @returns the append that was refused, when one was: then nothing of the others is written yet
   */
  #tryWrite(batch: readonly QueuedAppend[]): QueuedAppend | undefined {
    const transaction = new AppendTransaction(this.#rows, this.#heads, this.#lastPosition)
    const outcomes: AppendOutcome[] = []
    this.#begin.run()
    for (const append of batch) {
      try {
        outcomes.push(transaction.add(append))
      } catch (error) {
        if (sqliteCodeOf(error) !== SQLITE_CONSTRAINT) throw error
        this.#database.exec('ROLLBACK')
        // Any other broken constraint is a defect or a damaged file.
        if (!append.sealed.events.some(({ id }) => this.#rows.holds(id))) throw error
        append.reject(new EventIdTakenError(append.request.stream, { cause: error }))
        return append
      }
    }
    this.#reachCrashPoint('store.before-commit')
    this.#commit.run()
    this.#reachCrashPoint('store.after-commit')
    this.#lastPosition = transaction.lastPosition
    transaction.publishHeads()
    for (const [index, outcome] of outcomes.entries()) batch[index]?.resolve(outcome)
    return undefined
  }

  #settleFailure(batch: readonly QueuedAppend[], error: unknown): void {
    if (sqliteCodeOf(error) === SQLITE_FULL) {
      for (const append of batch) append.reject(new StoreFullError({ cause: error }))
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      return
    }
    for (const append of batch) append.resolve({ kind: 'unknown', cause: error })
    throw error
  }
}
