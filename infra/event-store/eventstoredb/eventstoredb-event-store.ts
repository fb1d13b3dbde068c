/**
 * Events on an EventStoreDB server or cluster. What it stands on, each part in a file of its own:
 *
 *     append ─▶ admit ─▶ KeyedQueue ─▶ StreamAppends ─▶ CurrentClient ─▶ client ─▶ server
 *     readStream ─▶ stream-reads         readAll, lastPosition ─▶ LogScan
 *     subscribe ─▶ subscribeTo over retrying reads, woken by appends and by WakeUpSubscription
 *
 * The trade: nothing about an append is decided here that the server could decide otherwise. An
 * outcome that is not known is said to be unknown, and sending the same append again settles it,
 * however often.
 */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import {
  type AppendOutcome,
  type AppendRequest,
  type EventStore,
  type Position,
  type ReadAllBackwardsRequest,
  type ReadAllRequest,
  type ReadStreamRequest,
  type RecordedEvent,
  StoreClosedError,
  type SubscribeRequest,
  type SubscriptionBatch,
} from '@svc/contracts/ports/event-store'
import type { StoreHealth, StoreTrouble } from '@svc/contracts/ports/store-health'
import { systemClock } from '../../system/system-clock.ts'
import { systemTimer } from '../../system/system-timer.ts'
import { admitAppend, admitReadAll, admitReadStream } from '../admit-append.ts'
import { GrowthSignal, subscribeTo } from '../live-subscription.ts'
import { KeyedQueue } from './appends/keyed-queue.ts'
import { StreamAppends } from './appends/stream-appends.ts'
import type { EventStoreDbClient } from './client/client.ts'
import type { CurrentClient } from './client/current-client.ts'
import { isDeletedStream, isSilence } from './client/server-failure.ts'
import type { Warn } from './client/warning.ts'
import type { StreamPrefix } from './layout/stream-prefix.ts'
import type { ServerReadStream } from './messages/server-calls.ts'
import type { ServerEvent } from './messages/server-event.ts'
import { type MigrationMarks, refusalOf } from './migration-mark.ts'
import { LogScan, type LogScanPorts } from './reads/log-scan.ts'
import { RetryingReads } from './reads/retrying-reads.ts'
import { readChecked, type StreamReadsPorts } from './reads/stream-reads.ts'
import { WakeUpSubscription } from './reads/wake-up-subscription.ts'
import { EventStoreDbTextStore } from './texts/eventstoredb-text-store.ts'
import { LogWatch, type WatchTimes } from './watch/log-watch.ts'
import type { SetAsideStream, SetAsideStreams } from './watch/set-aside-streams.ts'

import { WriteRight } from './watch/write-right.ts'
import { mayWrite } from './write-probe.ts'

export interface EventStoreDbEventStoreOptions {
  readonly client: CurrentClient<EventStoreDbClient>
  readonly streamPrefix: StreamPrefix
  readonly setAside: SetAsideStreams
  readonly marks: MigrationMarks
  /** Where the server is, for messages. */
  readonly place: string
  /** The id of the migration that the caller carries out. */
  readonly migrationId?: string | undefined
  readonly appendTimeoutMs: number
  readonly reachCrashPoint: ReachCrashPoint
  readonly watchTimes?: WatchTimes | undefined
  readonly warn: Warn
}

export class EventStoreDbEventStore implements EventStore, StoreHealth {
  /**
   * The texts beside the log, over the same connection. They are usable until the store is closed.
   */
  readonly texts: EventStoreDbTextStore
  /** What the server says of a migration of its log. */
  readonly marks: MigrationMarks
  readonly #client: CurrentClient<EventStoreDbClient>
  readonly #streamPrefix: StreamPrefix
  readonly #warn: Warn
  readonly #setAside: SetAsideStreams
  readonly #queue: KeyedQueue
  readonly #appends: StreamAppends
  readonly #streamReads: StreamReadsPorts
  readonly #scan: LogScan
  readonly #growth = new GrowthSignal()
  readonly #wakeUp: WakeUpSubscription
  readonly #watch: LogWatch
  readonly #ending = new AbortController()
  #closing: Promise<void> | undefined

  constructor(options: EventStoreDbEventStoreOptions) {
    const { client, streamPrefix, warn, appendTimeoutMs, marks, place, migrationId } = options
    this.#client = client
    this.#streamPrefix = streamPrefix
    this.#warn = warn
    this.texts = new EventStoreDbTextStore(options)
    this.marks = marks
    this.#setAside = options.setAside
    const read = (request: ServerReadStream) => this.#readServerStream(request)
    const right = new WriteRight({
      mayWrite: async (asked) => mayWrite({ ...options, client: await client.get() }, asked),
      isSetAside: (asked) => this.#setAside.holds(asked),
      warn,
    })
    this.#appends = new StreamAppends({ ...options, read, right })
    this.#queue = new KeyedQueue({
      waitMs: appendTimeoutMs,
      onStarved: (since) => client.noteSilence(since),
    })
    this.#streamReads = { read, noteRead: (event) => this.#appends.noteRead(event) }
    const readAll: LogScanPorts['readAll'] = async (request) =>
      (await client.get()).readAll(request)
    this.#watch = new LogWatch({
      readAll,
      readStream: read,
      toOwn: (event) => streamPrefix.toOwn(event),
      isSetAside: (stream) => this.#setAside.holds(stream),
      right,
      halfMoved: async () => {
        const mark = await marks.read()
        return mark?.id === migrationId ? undefined : refusalOf(mark, place)
      },
      times: options.watchTimes,
      warn,
    })
    this.#scan = new LogScan({
      readAll,
      concerning: streamPrefix.concerning,
      toOwn: (event) => this.#toOwn(event),
      note: (event) => this.#setAside.note(event),
    })
    this.#wakeUp = new WakeUpSubscription({
      growth: this.#growth,
      subscribe: async (listener) =>
        (await client.get()).subscribe(streamPrefix.text, 'end', listener),
      lastPosition: () => this.lastPosition(),
      onBroken: () => {
        this.#appends.forgetHeads()
        this.#watch.distrust()
      },
      warn,
    })
  }

  async append(request: AppendRequest): Promise<AppendOutcome> {
    const sealed = admitAppend(request)
    // A log that is sure is not checked, so that no turn of the event loop passes: whoever closes
    // the store waits for this append.
    if (!this.#watch.isSure) await this.#watch.check()
    this.#setAside.check(request.stream)
    const fromMs = systemClock.nowMs()
    const outcome = await this.#queue.run(request.stream, sealed.bytes, (hold) =>
      this.#appends.append(request, sealed, hold),
    )
    if (outcome.kind === 'appended') {
      const { head, position } = outcome
      const appended = { fromMs, untilMs: systemClock.nowMs() }
      this.#watch.noteSeen({ stream: request.stream, ...head, position, appended })
      this.#scan.noteAppended(outcome.position)
      this.#growth.notify()
    }
    return outcome
  }

  async readStream(request: ReadStreamRequest): Promise<readonly RecordedEvent[]> {
    admitReadStream(request)
    await this.#checkOpen()
    this.#setAside.check(request.stream)
    return readChecked(request, this.#streamReads)
  }

  async readAll(request: ReadAllRequest): Promise<readonly RecordedEvent[]> {
    admitReadAll(request)
    await this.#checkOpen()
    return this.#scan.read(request.after, request.limit, request.onPassedOver)
  }

  async readAllBackwards(request: ReadAllBackwardsRequest): Promise<readonly RecordedEvent[]> {
    admitReadAll(request)
    await this.#checkOpen()
    return this.#scan.readBackwards(request.from, request.limit)
  }

  async lastPosition(): Promise<Position> {
    await this.#checkOpen()
    return this.#scan.lastPosition()
  }

  /** Waits for a server that is away: see the port. */
  /**
   * Makes the store notice from now on what becomes of its server and its log: another server at
   * the address, a log that is moved away, a user who may do less. Every reader calls this.
   * Idempotent.
   */
  watch(): void {
    this.#wakeUp.start()
    this.#watch.start()
  }

  subscribe(request: SubscribeRequest): AsyncIterable<SubscriptionBatch> {
    this.watch()
    const signal = AbortSignal.any([request.signal, this.#ending.signal])
    return subscribeTo(
      new RetryingReads(this, signal, systemTimer, this.#warn),
      this.#growth,
      request,
    )
  }

  /** Streams that nothing is built on. */
  setAside(): readonly SetAsideStream[] {
    return this.#setAside.list()
  }

  troubles(): readonly StoreTrouble[] {
    return [
      ...this.#watch.troubles(),
      ...this.setAside().map(({ stream, order }) => ({
        message: `the stream ${stream} is set aside and its account refused: ${order}`,
      })),
    ]
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#queue.close()
    this.#growth.close()
    this.#ending.abort()
    await Promise.all([this.#wakeUp.close(), this.#watch.close(), this.#client.close()])
  }

  async #readServerStream(request: ServerReadStream): Promise<readonly RecordedEvent[]> {
    const client = await this.#client.get()
    const stream = this.#streamPrefix.nameOf(request.stream)
    try {
      const events = await client.readStream({ ...request, stream })
      return events.flatMap((event) => this.#streamPrefix.toOwn(event) ?? [])
    } catch (error) {
      if (isSilence(error)) this.#client.noteSilentRead()
      throw isDeletedStream(error) ? this.#setAside.noteDeleted(request.stream, error) : error
    }
  }

  /**
   * Reads an event of ours, and remembers the last one: it shows that the log is still the same.
   */
  #toOwn(event: ServerEvent): RecordedEvent | undefined {
    const own = this.#streamPrefix.toOwn(event)
    if (own !== undefined) this.#watch.noteSeen(own)
    return own
  }

  async #checkOpen(): Promise<void> {
    if (this.#growth.closed) throw new StoreClosedError()
    if (!this.#watch.isSure) await this.#watch.check()
  }
}
