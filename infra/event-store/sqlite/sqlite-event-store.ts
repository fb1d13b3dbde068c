/**
 * Events in one SQLite file.
 *
 *     append ─▶ queue ─▶ end of this turn: one transaction for all that wait ─▶ disk ─▶ resolve
 *                           ▲                                                   │
 *                           └──────── what has come meanwhile waits ────────────┘
 *
 * The trade: an append waits for the end of its turn (and for the sync that it shares), and in
 * exchange a thousand accounts that append at once cost one sync. A transaction runs on the event
 * loop and holds it up for its duration; batches are bounded for that reason. The disk is waited
 * for beside it, and readers see an event only when the disk has it.
 *
 * States. *Open*: takes work. *Closing*: refuses new work, finishes what waits. *Closed*. *Failed*:
 * the disk gave an error, so that neither the last batch nor anything after it can be trusted;
 * every append is answered `unknown`, reads are refused, and `onFatal` tells the process to exit
 * and recover.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { noCrashPoints, type ReachCrashPoint } from '@svc/contracts/crash-points'
import {
  type AppendOutcome,
  type AppendRequest,
  BrokenChainError,
  type EventStore,
  NO_STREAM,
  type Position,
  type ReadAllBackwardsRequest,
  type ReadAllRequest,
  type ReadStreamRequest,
  type RecordedEvent,
  StoreBusyError,
  StoreClosedError,
  StoreDamagedError,
  StoreUnavailableError,
  type SubscribeRequest,
  type SubscriptionBatch,
} from '@svc/contracts/ports/event-store'
import { verifyChain } from '@svc/contracts/ports/hash-chain'
import type { StoreHealth, StoreTrouble } from '@svc/contracts/ports/store-health'
import type { DurableFile } from '../../sqlite/durable-file.ts'
import { refusalOf } from '../../sqlite/open-errors.ts'
import { readFrom } from '../../sqlite/sqlite-errors.ts'
import { admitAppend, admitReadAll, admitReadStream } from '../admit-append.ts'
import { GrowthSignal, subscribeTo } from '../live-subscription.ts'
import { AppendQueue } from './append-queue.ts'
import { DiskRoom } from './disk-room.ts'
import { openEventLogFile } from './event-log-file.ts'
import { EventRows } from './event-rows.ts'
import { GroupCommit } from './group-commit.ts'

export interface SqliteEventStoreOptions {
  /** Is called once when the disk has failed. The process must exit: a restart recovers. */
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

export class SqliteEventStore implements EventStore, StoreHealth {
  readonly #file: DurableFile
  readonly #rows: EventRows
  readonly #room: DiskRoom
  readonly #groupCommit: GroupCommit
  readonly #onFatal: (error: unknown) => void
  readonly #queue = new AppendQueue()
  readonly #growth = new GrowthSignal()
  /** Whether a turn is planned, or the disk does not have yet what it wrote. */
  #isAtWork = false
  #failure: { readonly cause: unknown } | undefined
  /** What a read has found: a damaged file stays damaged until another is put in its place. */
  #damage: StoreDamagedError | undefined
  #closing: PromiseWithResolvers<void> | undefined

  constructor(file: DurableFile, options: SqliteEventStoreOptions) {
    this.#file = file
    this.#onFatal = options.onFatal
    this.#rows = new EventRows(file.database)
    this.#room = new DiskRoom(file.path)
    this.#groupCommit = new GroupCommit(file, this.#rows, {
      room: this.#room,
      reachCrashPoint: options.reachCrashPoint ?? noCrashPoints,
    })
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
    return this.#read(() => {
      const streamId = this.#rows.streamId(request.stream)
      if (streamId === undefined) return []
      return request.direction === 'forwards'
        ? this.#readForwards(streamId, request.from ?? 0, request)
        : this.#readBackwards(streamId, request.from ?? Number.MAX_SAFE_INTEGER, request)
    })
  }

  async readAll(request: ReadAllRequest): Promise<readonly RecordedEvent[]> {
    admitReadAll(request)
    this.#checkReadable()
    const { lastPosition } = this.#groupCommit
    return this.#read(() => this.#rows.all(request.after, request.limit, lastPosition))
  }

  async readAllBackwards(request: ReadAllBackwardsRequest): Promise<readonly RecordedEvent[]> {
    admitReadAll(request)
    this.#checkReadable()
    const last = this.#groupCommit.lastPosition
    const { from = BigInt(last), limit } = request
    return this.#read(() => this.#rows.allBackwards(from < last ? Number(from) : last, limit))
  }

  async eventOf(id: string): Promise<RecordedEvent | undefined> {
    this.#checkReadable()
    return this.#read(() => this.#rows.ofId(id, this.#groupCommit.lastPosition))
  }

  async lastPosition(): Promise<Position> {
    this.#checkReadable()
    return BigInt(this.#groupCommit.lastPosition)
  }

  subscribe(request: SubscribeRequest): AsyncIterable<SubscriptionBatch> {
    return subscribeTo(this, this.#growth, request)
  }

  troubles(): readonly StoreTrouble[] {
    const { message } = this.#damage ?? {}
    if (message === undefined) return this.#room.troubles()
    return [{ message, notReady: 'the event log is damaged' }, ...this.#room.troubles()]
  }

  /** A damaged stream of a file is found by whoever reads it. */
  setAside(): readonly never[] {
    return []
  }

  close(): Promise<void> {
    if (this.#closing === undefined) {
      this.#closing = Promise.withResolvers<void>()
      this.#planTurn()
    }
    return this.#closing.promise
  }

  #planTurn(): void {
    if (this.#isAtWork) return
    this.#isAtWork = true
    setImmediate(() => this.#takeTurn())
  }

  async #takeTurn(): Promise<void> {
    const batch = this.#queue.takeBatch()
    if (this.#failure === undefined) await this.#write(() => this.#groupCommit.write(batch))
    else for (const { resolve } of batch) resolve({ kind: 'unknown', ...this.#failure })
    this.#growth.notify()
    // The write has a turn of its own, so that the callers of this turn are answered before.
    await nextTurn()
    if (this.#failure === undefined) await this.#write(() => this.#groupCommit.checkpointIfLong())
    this.#isAtWork = false
    if (this.#queue.length > 0) this.#planTurn()
    else if (this.#closing !== undefined) this.#finishClosing(this.#closing)
  }

  async #write(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#failure = { cause: error }
      this.#onFatal(error)
    }
  }

  #finishClosing(closing: PromiseWithResolvers<void>): void {
    this.#growth.close()
    try {
      this.#file.close()
      closing.resolve()
    } catch (error) {
      closing.reject(error)
    }
  }

  #read<Result>(read: () => Result): Result {
    try {
      return readFrom(this.#file.path, read)
    } catch (error) {
      if (error instanceof StoreDamagedError) this.#damage = error
      throw error
    }
  }

  #checkReadable(): void {
    if (this.#growth.closed) throw new StoreClosedError()
    if (this.#failure !== undefined) {
      throw new StoreUnavailableError('the disk of the event store has failed', this.#failure)
    }
  }

  /** Reads one event more than is asked for: the one before, which the first one is chained to. */
  #readForwards(
    streamId: number,
    from: number,
    { stream, limit }: ReadStreamRequest,
  ): readonly RecordedEvent[] {
    const until = this.#groupCommit.lastPosition
    if (from === 0) {
      const page = this.#rows.forwards({ streamId, from, limit, until })
      verifyChain(NO_STREAM, page)
      return page
    }
    const [previous, ...page] = this.#rows.forwards({
      streamId,
      from: from - 1,
      limit: limit + 1,
      until,
    })
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
    const until = this.#groupCommit.lastPosition
    const newestFirst = this.#rows.backwards({ streamId, from, limit: limit + 1, until })
    const previous = newestFirst.length > limit ? newestFirst.pop() : undefined
    verifyChain(previous ?? NO_STREAM, newestFirst.toReversed())
    return newestFirst
  }
}
