/**
 * PORT: the store of events. One compliance suite (`infra/event-store`) runs against
 * every adapter, and tests every promise of this file.
 *
 * Terms. A *stream* is an ordered list of events with revisions 0, 1, 2 …; a *position* orders all
 * events of the store, increasing but not dense. The *head* of a stream is its last revision
 * together with the hash of its last event: the link that the next event is chained to.
 */

/**
 * Orders all events of one store. Opaque: only comparison has a meaning. Stored as decimal text.
 */
export type Position = bigint

/** The position before the first event of any store. */
export const START: Position = -1n

export interface StreamHead {
  /** Revision of the last event; -1 for a stream without events. */
  readonly revision: number
  /** SHA-256 of the last event, in hex, chained to the one before it; 64 zeros without events. */
  readonly hash: string
}

/** The head of a stream without events: an append that expects it expects "no stream". */
export const NO_STREAM: StreamHead = { revision: -1, hash: '0'.repeat(64) }

/**
 * An event on its way into the store. Text is UTF-8 JSON and is stored byte for byte; text that
 * UTF-8 cannot hold (half a surrogate pair) is refused with a RangeError, because it would come
 * back altered.
 */
export interface NewEvent {
  /** A UUID, in lower case with dashes, made once and kept until the outcome is known. */
  readonly id: string
  readonly type: string
  readonly data: string
  readonly metadata: string
}

export interface RecordedEvent extends NewEvent {
  readonly stream: string
  readonly revision: number
  readonly position: Position
  /** Hex SHA-256; see `hash-chain.ts` for what it covers. */
  readonly hash: string
}

/** Bounds of one append; every adapter refuses more, with a RangeError, before sending anything. */
export const APPEND_EVENTS_MAX = 500
export const APPEND_BYTES_MAX = 512 * 1024

export interface AppendRequest {
  readonly stream: string
  /** The head that the stream must have. There is no way to append to any head. */
  readonly expected: StreamHead
  /** 1 to {@link APPEND_EVENTS_MAX} events with distinct ids, written all or not at all. */
  readonly events: readonly NewEvent[]
}

export type AppendOutcome =
  /** Durable now. */
  | { readonly kind: 'appended'; readonly head: StreamHead; readonly position: Position }
  /**
   * The very same events (same ids, same order, same revision) were durable already. Head and
   * position are those of the first append, whatever was appended since. Only ids are compared: if
   * the data differ, those of the first append stay. After an `unknown`, a store may answer
   * `appended` to a repetition that is the same to the byte.
   */
  | { readonly kind: 'duplicate'; readonly head: StreamHead; readonly position: Position }
  /** Other events are there. Nothing was written: load the stream and decide again. */
  | { readonly kind: 'conflict' }
  /**
   * The events may have been written, or may still be. Send the same request again until another
   * outcome comes. Reading does not help: events that are not found can still appear.
   */
  | { readonly kind: 'unknown'; readonly cause: unknown }

export interface ReadStreamRequest {
  readonly stream: string
  readonly direction: 'forwards' | 'backwards'
  /** First revision to return, inclusive. Default: the start, or the end when backwards. */
  readonly from?: number | undefined
  /** The page has at most this many events (1 to 10,000). */
  readonly limit: number
}

export interface ReadAllRequest {
  /** Exclusive: the events behind this position. */
  readonly after: Position
  /** The page has at most this many events (1 to 10,000). */
  readonly limit: number
  /**
   * Is called while the store skips events of other programs in a log that it shares with them:
   * each time with the number of events skipped since the last call, or fewer.
   */
  readonly onPassedOver?: PassedOver
}

export type PassedOver = (events: number) => void

export interface ReadAllBackwardsRequest {
  /** Inclusive: the position of an event. Default: the last one. */
  readonly from?: Position | undefined
  /** The page has at most this many events (1 to 10,000). */
  readonly limit: number
}

export interface SubscribeRequest {
  /** Exclusive: resume with the position of the last event that was processed. */
  readonly after: Position
  /** A batch has at most this many events (1 to 10,000). */
  readonly batchSize: number
  /** Ends the subscription; the iterator then returns normally. */
  readonly signal: AbortSignal
}

export interface SubscriptionBatch {
  /** The events in order of position; empty when the batch only says that the end is reached. */
  readonly events: readonly RecordedEvent[]
  /** True when no later event was there at the time of reading. */
  readonly caughtUp: boolean
}

export interface EventStore {
  /**
   * Resolves when the outcome is known, or when it is certain that it cannot be known now. Rejects
   * when this call has not written and will not write anything. If an earlier call with the same
   * events was `unknown`, it stays so.
   *
   * @throws {RangeError} on a caller's mistake: sending it again cannot help
   * @throws {StoreUnavailableError} when the store takes no append now: a later one can succeed
   */
  append(request: AppendRequest): Promise<AppendOutcome>
  /**
   * Reads one page of a stream. It is empty for a stream that does not exist.
   *
   * @throws {BrokenChainError} on altered history
   */
  readStream(request: ReadStreamRequest): Promise<readonly RecordedEvent[]>
  /**
   * Reads one page of all events, in order of position, as they are stored. It does not check
   * chains, so that a broken one cannot hide the events behind it; `verify-log.ts` checks them all.
   *
   * @throws {RangeError} when the store sees that `after` is not a position of this log
   */
  readAll(request: ReadAllRequest): Promise<readonly RecordedEvent[]>
  /**
   * Reads one page of all events, the newest first; otherwise as {@link readAll}.
   *
   * @throws {RangeError} when the store sees that `from` is not a position of this log
   */
  readAllBackwards(request: ReadAllBackwardsRequest): Promise<readonly RecordedEvent[]>
  /**
   * Finds the event with an id, in any stream; undefined when there is none. A store without an
   * index of ids does not have this method, because it would have to read all events.
   */
  eventOf?(id: string): Promise<RecordedEvent | undefined>
  /** Position of the last event of the store, or {@link START}. */
  lastPosition(): Promise<Position>
  /**
   * Reads all events behind a position, and then new ones as they come. The consumer pulls: a slow
   * one gets larger batches later, is never dropped, and never fills the memory of the store.
   *
   * When a store on a network is away, the subscription waits for as long as it takes: the consumer
   * gets no batch meanwhile, and then the next event, as if nothing had happened. To learn whether
   * the store answers, ask it, for example by {@link lastPosition}.
   *
   * @throws {PositionBeyondEndError} when `after` lies beyond the end: another log, or a restored
   *   backup
   * @throws {RangeError} when the store sees that `after` is not a position of this log
   */
  subscribe(request: SubscribeRequest): AsyncIterable<SubscriptionBatch>
  /** Waits for appends in flight, then closes; subscriptions end. Idempotent. */
  close(): Promise<void>
}

/**
 * History was altered: an event does not hash to what it says, or does not link to the one before.
 */
export class BrokenChainError extends Error {
  override readonly name = 'BrokenChainError'
  readonly stream: string
  readonly revision: number

  constructor(stream: string, revision: number) {
    super(`the hash chain of ${stream} breaks at revision ${revision}: its history was altered`)
    this.stream = stream
    this.revision = revision
  }
}

/**
 * Somebody had the store shorten, hide or delete the stream, or the stream holds an event that this
 * program cannot have written. Nothing is decided on it or written to it until an operator has
 * repaired it, because a balance would be computed from the events that are left.
 */
export class DamagedStreamError extends Error {
  override readonly name = 'DamagedStreamError'
  readonly stream: string
  /** Says what is wrong, in words that end a sentence about the stream. */
  readonly reason: string
  /**
   * The revision of the first event that cannot be relied on; null when no event of the stream can
   * be.
   */
  readonly revision: number | null

  constructor(
    stream: string,
    reason: string,
    { revision = null, ...options }: ErrorOptions & { readonly revision?: number | null } = {},
  ) {
    super(`the stream ${stream} of the event store cannot be relied on: ${reason}`, options)
    this.stream = stream
    this.reason = reason
    this.revision = revision
  }
}

/**
 * The store wrote nothing of an append, or did not answer a read, and may do so later. The caller
 * of the API gets an HTTP 503.
 */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError'
}

/**
 * No server of the store answers, or none that may answer: a leader has died, or the network is
 * cut. It comes back by itself, usually within seconds.
 */
export class StoreAwayError extends StoreUnavailableError {
  override readonly name = 'StoreAwayError'
}

/**
 * The server does not hold events that it held before: an older copy was restored, or another
 * server has its address. Nothing is sold on it until it holds its events again, or an operator
 * accepts it as it is.
 */
export class StoreRewoundError extends StoreUnavailableError {
  override readonly name = 'StoreRewoundError'

  /** @param what is missing, in words that begin the sentence */
  constructor(what: string) {
    super(
      `${what}: an older copy was restored, or another server put in its place. Put the right one ` +
        'back and svc goes on by itself; to go on with this one, stop svc and start it with ' +
        '--accept-new-store',
    )
  }
}

/** The store refuses the append because too many appends wait already. */
export class StoreBusyError extends StoreUnavailableError {
  override readonly name = 'StoreBusyError'

  constructor() {
    super('the event store has too many appends waiting')
  }
}

/** The disk is full: the append was rolled back, reading goes on. */
export class StoreFullError extends StoreUnavailableError {
  override readonly name = 'StoreFullError'

  constructor(options?: ErrorOptions) {
    super('the disk of the event store is full', options)
  }
}

/** A file of the store is damaged below its content: nothing but a backup brings it back. */
export class StoreDamagedError extends StoreUnavailableError {
  override readonly name = 'StoreDamagedError'
}

/** The store was closed. */
export class StoreClosedError extends StoreUnavailableError {
  override readonly name = 'StoreClosedError'

  constructor() {
    super('the event store is closed')
  }
}

/** A saved position lies beyond the end of the log. */
export class PositionBeyondEndError extends Error {
  override readonly name = 'PositionBeyondEndError'

  constructor(after: Position, last: Position) {
    super(
      `position ${after} lies beyond the end of the event log (${last}): ` +
        'this is another log, or an older copy of it',
    )
  }
}
