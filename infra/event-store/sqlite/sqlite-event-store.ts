/**
 * Events in one SQLite file.
 *
 *     append ─▶ queue ─▶ end of this turn: one transaction for all that wait ─▶ resolve
 *
 * The trade: an append waits for the end of its turn (and for the fsync that it shares), and in
 * exchange a thousand accounts that append at once cost one fsync. A commit runs on the event loop
 * and holds it up for its duration; batches are bounded for that reason.
 *
 * States. *Open*: takes work. *Closing*: refuses new work, finishes what waits. *Closed*. *Failed*:
 * the disk gave an error, so that neither the last batch nor anything after it can be trusted;
 * every append is answered `unknown`, reads are refused, and `onFatal` tells the process to exit
 * and recover.
 */
import { noCrashPoints, type ReachCrashPoint } from '@svc/contracts/crash-points'
import {
  type AppendOutcome,
  type AppendRequest,
  BrokenChainError,
  type EventStore,
  NO_STREAM,
  type Position,
  type ReadAllRequest,
  type ReadStreamRequest,
  type RecordedEvent,
  StoreBusyError,
  StoreClosedError,
  StoreUnavailableError,
  type SubscribeRequest,
  type SubscriptionBatch,
} from '@svc/contracts/ports/event-store'
import { verifyChain } from '@svc/contracts/ports/hash-chain'
import type { DatabaseFile } from '../../sqlite/database-file.ts'
import { refusalOf } from '../../sqlite/refusals.ts'
import { admitAppend, admitReadAll, admitReadStream } from '../admit-append.ts'
import { GrowthSignal, subscribeTo } from '../live-subscription.ts'
import { AppendQueue } from './append-queue.ts'
import { openEventLogFile } from './event-log-file.ts'
import { EventRows } from './event-rows.ts'
import { GroupCommit } from './group-commit.ts'

export interface SqliteEventStoreOptions {
  /** Called once when the disk has failed. The process must exit: a restart recovers. */
  readonly onFatal: (error: unknown) => void
  readonly reachCrashPoint?: ReachCrashPoint
}

/**
 * Opens the event log, or makes it when the file does not exist. The folder must exist.
 *
 * @throws {StoreOpenError} with nothing written
 */
export function openSqliteEventStore(
  path: string,
  options: SqliteEventStoreOptions,
): SqliteEventStore {
  const file = openEventLogFile(path)
  try {
    return new SqliteEventStore(file, options)
  } catch (error) {
    file.close()
    throw refusalOf(error, path)
  }
}

export class SqliteEventStore implements EventStore {
  readonly #file: DatabaseFile
  readonly #rows: EventRows
  readonly #groupCommit: GroupCommit
  readonly #onFatal: (error: unknown) => void
  readonly #queue = new AppendQueue()
  readonly #growth = new GrowthSignal()
  #turnIsPlanned = false
  #failure: { readonly cause: unknown } | undefined
  #closing: PromiseWithResolvers<void> | undefined

  constructor(file: DatabaseFile, options: SqliteEventStoreOptions) {
    this.#file = file
    this.#onFatal = options.onFatal
    this.#rows = new EventRows(file.database)
    this.#groupCommit = new GroupCommit(
      file.database,
      this.#rows,
      options.reachCrashPoint ?? noCrashPoints,
    )
  }

  async append(request: AppendRequest): Promise<AppendOutcome> {
    const sealed = admitAppend(request)
    if (this.#closing !== undefined) throw new StoreClosedError()
    if (this.#failure !== undefined) return { kind: 'unknown', cause: this.#failure.cause }
    const { promise, resolve, reject } = Promise.withResolvers<AppendOutcome>()
    if (!this.#queue.add({ request, sealed, resolve, reject })) {
      throw new StoreBusyError()
    }
    this.#planTurn()
    return promise
  }

  async readStream(request: ReadStreamRequest): Promise<readonly RecordedEvent[]> {
    admitReadStream(request)
    this.#checkReadable()
    const streamId = this.#rows.streamId(request.stream)
    if (streamId === undefined) return []
    return request.direction === 'forwards'
      ? this.#readForwards(streamId, request.from ?? 0, request)
      : this.#readBackwards(streamId, request.from ?? Number.MAX_SAFE_INTEGER, request)
  }

  async readAll(request: ReadAllRequest): Promise<readonly RecordedEvent[]> {
    admitReadAll(request)
    this.#checkReadable()
    return this.#rows.all(request.after, request.limit)
  }

  async lastPosition(): Promise<Position> {
    this.#checkReadable()
    return BigInt(this.#groupCommit.lastPosition)
  }

  subscribe(request: SubscribeRequest): AsyncIterable<SubscriptionBatch> {
    return subscribeTo(this, this.#growth, request)
  }

  close(): Promise<void> {
    this.#closing ??= Promise.withResolvers<void>()
    this.#planTurn()
    return this.#closing.promise
  }

  #planTurn(): void {
    if (this.#turnIsPlanned) return
    this.#turnIsPlanned = true
    setImmediate(() => this.#takeTurn())
  }

  #takeTurn(): void {
    this.#turnIsPlanned = false
    const batch = this.#queue.takeBatch()
    if (batch.length === 0) {
      if (this.#closing !== undefined) this.#finishClosing(this.#closing)
      return
    }
    if (this.#failure === undefined) this.#write(() => this.#groupCommit.write(batch))
    else for (const { resolve } of batch) resolve({ kind: 'unknown', ...this.#failure })
    this.#growth.notify()
    // In a turn of its own, so that the callers of this one are answered before.
    setImmediate(() => this.#checkpoint())
    if (this.#queue.length > 0 || this.#closing !== undefined) this.#planTurn()
  }

  #checkpoint(): void {
    if (this.#failure !== undefined || this.#growth.closed) return
    this.#write(() => this.#groupCommit.checkpointIfLong())
  }

  #write(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#failure = { cause: error }
      this.#onFatal(error)
    }
  }

  #finishClosing(closing: PromiseWithResolvers<void>): void {
    if (this.#growth.closed) return
    this.#growth.close()
    try {
      this.#file.close()
      closing.resolve()
    } catch (error) {
      closing.reject(error)
    }
  }

  #checkReadable(): void {
    if (this.#growth.closed) throw new StoreClosedError()
    if (this.#failure !== undefined) {
      throw new StoreUnavailableError('the disk of the event store has failed', this.#failure)
    }
  }

  /** One event more than asked for is read: the one before, which the first one is chained to. */
  #readForwards(
    streamId: number,
    from: number,
    { stream, limit }: ReadStreamRequest,
  ): readonly RecordedEvent[] {
    if (from === 0) {
      const page = this.#rows.forwards(streamId, 0, limit)
      verifyChain(NO_STREAM, page)
      return page
    }
    const [previous, ...page] = this.#rows.forwards(streamId, from - 1, limit + 1)
    if (previous === undefined) return []
    if (previous.revision !== from - 1) throw new BrokenChainError(stream, from - 1)
    verifyChain(previous, page)
    return page
  }

  #readBackwards(
    streamId: number,
    from: number,
    { limit }: ReadStreamRequest,
  ): readonly RecordedEvent[] {
    const newestFirst = this.#rows.backwards(streamId, from, limit + 1)
    const previous = newestFirst.length > limit ? newestFirst.pop() : undefined
    verifyChain(previous ?? NO_STREAM, newestFirst.toReversed())
    return newestFirst
  }
}
