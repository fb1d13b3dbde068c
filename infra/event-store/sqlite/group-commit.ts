/**
 * Writes batches of appends, one transaction each, one after the other. A batch is there for
 * readers, and its callers are answered, once the disk has it.
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
import type { DurableFile } from '../../sqlite/durable-file.ts'
import { SQLITE_CONSTRAINT, SQLITE_FULL, sqliteCodeOf } from '../../sqlite/sqlite-errors.ts'
import type { QueuedAppend } from './append-queue.ts'
import { AppendTransaction, type KnownHead } from './append-transaction.ts'
import type { DiskRoom } from './disk-room.ts'
import type { EventRows } from './event-rows.ts'

/** An id names one event. Expecting the right revision, a caller gave an id that is taken. */
export class EventIdTakenError extends RangeError {
  override readonly name = 'EventIdTakenError'

  constructor(stream: string, options: ErrorOptions) {
    super(`an event for ${stream} has the id of an event that is stored already`, options)
  }
}

/** Heads that are kept in memory: about 250 bytes each. */
const CACHED_HEADS_MAX = 20_000

interface Committed {
  readonly batch: readonly QueuedAppend[]
  readonly outcomes: readonly AppendOutcome[]
  readonly transaction: AppendTransaction
}

export interface GroupCommitPorts {
  readonly room: DiskRoom
  readonly reachCrashPoint: ReachCrashPoint
}

export class GroupCommit {
  readonly #database: DatabaseSync
  readonly #file: DurableFile
  readonly #rows: EventRows
  readonly #room: DiskRoom
  readonly #reachCrashPoint: ReachCrashPoint
  readonly #heads = new RecentlyUsed<string, KnownHead>({ entriesMax: CACHED_HEADS_MAX })
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  #lastPosition: number

  constructor(file: DurableFile, rows: EventRows, { room, reachCrashPoint }: GroupCommitPorts) {
    const { database } = file
    this.#database = database
    this.#file = file
    this.#rows = rows
    this.#room = room
    this.#reachCrashPoint = reachCrashPoint
    this.#begin = database.prepare('BEGIN IMMEDIATE')
    this.#commit = database.prepare('COMMIT')
    this.#lastPosition = rows.lastPosition()
  }

  /** The position of the last durable event; -1 without events. */
  get lastPosition(): number {
    return this.#lastPosition
  }

  /**
   * Settles every append of the batch. One call at a time.
   *
   * Rejects when the disk has failed; the appends are settled as unknown then.
   */
  async write(batch: readonly QueuedAppend[]): Promise<void> {
    let rest = batch
    try {
      while (rest.length > 0) {
        const committed = this.#tryCommit(rest)
        if ('refused' in committed) {
          rest = rest.filter((append) => append !== committed.refused)
          continue
        }
        await this.#file.sync()
        this.#room.noteWritten()
        this.#reachCrashPoint('store.after-commit')
        this.#publish(committed)
        return
      }
    } catch (error) {
      this.#settleFailure(rest, error)
    }
  }

  /**
   * Moves the log into the file once it is long. Apart from the batches, so that nobody waits for
   * it; nothing is written meanwhile. Rejects when the disk fails.
   */
  checkpointIfLong(): Promise<void> {
    return this.#file.checkpointIfLong()
  }

  /**
   * @returns the append that was refused, when one was: then nothing of the others is written yet
   */
  #tryCommit(batch: readonly QueuedAppend[]): Committed | { readonly refused: QueuedAppend } {
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
        return { refused: append }
      }
    }
    this.#reachCrashPoint('store.before-commit')
    this.#commit.run()
    return { batch, outcomes, transaction }
  }

  #publish({ batch, outcomes, transaction }: Committed): void {
    this.#lastPosition = transaction.lastPosition
    transaction.publishHeads()
    for (const [index, outcome] of outcomes.entries()) batch[index]?.resolve(outcome)
  }

  #settleFailure(batch: readonly QueuedAppend[], error: unknown): void {
    if (sqliteCodeOf(error) === SQLITE_FULL) {
      this.#room.noteRefused()
      for (const append of batch) append.reject(new StoreFullError({ cause: error }))
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      return
    }
    for (const append of batch) append.resolve({ kind: 'unknown', cause: error })
    throw error
  }
}
