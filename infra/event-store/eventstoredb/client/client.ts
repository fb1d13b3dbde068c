/**
 * A narrow interface to `@eventstore/db-client`, with its results and errors turned into values of
 * our own: it is known here and in `retirable-client.ts` only. What is added, because the client
 * does it otherwise:
 *
 *  - a read has no deadline: each has a timer, started anew by every event, and is then cancelled;
 *  - a read that is left early leaks its call: every read is bounded and ends, or is cancelled;
 *  - a client goes on to work after `dispose()`, and shares one table of pending appends with its
 *    successor: a retired one finds no connection any more, and lets go what waits for it;
 *  - `dispose()` leaves its sockets open: they are closed;
 *  - a node that does not lead may answer from the past: all but the wake-up calls ask the leader.
 */
import {
  type AllStreamResolvedEvent,
  type EventData,
  type JSONType,
  type ResolvedEvent,
  type StreamingRead,
  streamNameFilter,
} from '@eventstore/db-client'
import { START, StoreUnavailableError } from '@svc/contracts/ports/event-store'
import { patientTimer } from '../../../system/patient-timer.ts'
import { CertificateFiles } from './client-settings.ts'
import type { ConnectionSettings } from './connection-string.ts'
import { answerWithin } from './deadline.ts'
import { ReadGate } from './read-gate.ts'
import { RetirableClient } from './retirable-client.ts'
import { notSent, type SendResult, sendResultOf } from './send-result.ts'
import type {
  ServerReadAll,
  ServerReadStream,
  ServerSubscription,
  SubscriptionListener,
} from './server-calls.ts'
import { type NewServerEvent, NO_EVENTS, type ServerEvent } from './server-event.ts'
import {
  ClientRetiredError,
  failureTypeOf,
  isDiscoveryFailure,
  isUnavailable,
  readFailureOf,
  ServerTimeoutError,
} from './server-failure.ts'

/** In units of 32 events that the server passes over, so that a quiet log says little. */
const CHECKPOINT_INTERVAL = 100
/**
 * The client sends the server the time at which an append is given up, by its own clock, and the
 * server refuses what is over by the server's. So it allows for clocks that differ; how long an
 * append takes is bounded by timers of ours, and on the server by one of its own.
 */
const APPEND_DEADLINE_MS = 600_000
/**
 * How long a read may bring no event while the server passes over those of others: enough for some
 * ten million. A server that hangs is noticed by the keepalive before.
 */
const FILTERED_READ_TIMEOUT_MS = 60_000

export class EventStoreDbClient {
  readonly #client: RetirableClient
  readonly #readTimeoutMs: number
  readonly #gate: ReadGate
  /** Rejects what waits for the server, when the client is retired. */
  readonly #waiting = new Set<(error: Error) => void>()
  readonly #certificates: CertificateFiles
  #isPoisoned = false
  #hasFailed = false

  /** @throws {ConnectionStringError} when a file that the settings name cannot be read */
  constructor(settings: ConnectionSettings, readTimeoutMs: number) {
    this.#client = new RetirableClient(settings)
    this.#certificates = new CertificateFiles(settings)
    this.#readTimeoutMs = readTimeoutMs
    this.#gate = new ReadGate(readTimeoutMs)
  }

  /**
   * Whether only another client object helps: every later append would fail at once, or something
   * has failed and the certificates are others than those that it was made with.
   */
  get isPoisoned(): boolean {
    return this.#isPoisoned || (this.#hasFailed && this.#certificates.haveChanged())
  }

  /** The node that answers, as `host:port`; undefined before the first connection. */
  get connectedTo(): string | undefined {
    return this.#client.connectedTo
  }

  /** As the server says it, such as `23.10.8`; `unknown` of one too old to be asked. */
  async serverVersion(): Promise<string> {
    const features = this.#watched(this.#client.features())
    return (await answerWithin(this.#readTimeoutMs, 'the question for its version', features))
      .serverVersion
  }

  /**
   * Has no timer: the promise stays the truth about an append that its caller has given up.
   *
   * @param expected the exact revision that the stream ends with; {@link NO_EVENTS} for none
   */
  async append(
    stream: string,
    expected: number,
    events: readonly NewServerEvent[],
  ): Promise<SendResult> {
    try {
      await this.#watched(this.#client.features())
    } catch (error) {
      this.#note(error)
      // The client keeps a failed answer for ever, except for this one.
      if (!isUnavailable(error)) this.#isPoisoned = true
      return notSent(error)
    }
    try {
      const { nextExpectedRevision, position } = await this.#watched(
        this.#client.appendToStream(stream, events.map(toEventData), {
          expectedRevision: expected === NO_EVENTS ? 'no_stream' : BigInt(expected),
          requiresLeader: true,
          deadline: APPEND_DEADLINE_MS,
        }),
      )
      const revision = Number(nextExpectedRevision)
      return { kind: 'appended', revision, position: position?.commit }
    } catch (error) {
      this.#note(error)
      return sendResultOf(error)
    }
  }

  /**
   * Ends a stream for ever: it takes no event any more, and those that it has go from the server's
   * disk with its next scavenge. Does nothing a second time.
   */
  async endStream(stream: string): Promise<void> {
    try {
      await this.#watched(this.#client.tombstoneStream(stream, { requiresLeader: true }))
    } catch (error) {
      if (failureTypeOf(error) === 'stream-deleted') return
      this.#note(error)
      throw error instanceof StoreUnavailableError ? error : readFailureOf(error)
    }
  }

  /** One page. Empty for a stream that is missing or softly deleted. @throws as {@link #page} */
  readStream({ stream, direction, from, limit }: ServerReadStream): Promise<ServerEvent[]> {
    const edge = direction === 'forwards' ? 'start' : 'end'
    return this.#page(() =>
      this.#client.readStream(stream, {
        direction,
        fromRevision: from === undefined ? edge : BigInt(from),
        maxCount: limit,
        requiresLeader: true,
      }),
    )
  }

  /**
   * One page of all events, also those of the system. Forwards it holds the event at `from`.
   *
   * @throws as {@link #page}
   */
  readAll(request: ServerReadAll): Promise<ServerEvent[]> {
    const { direction, from, limit, streams } = request
    if (streams !== undefined) {
      const timeoutMs = Math.max(this.#readTimeoutMs, FILTERED_READ_TIMEOUT_MS)
      return this.#page(() => this.#client.readFiltered(request), timeoutMs)
    }
    const edge = direction === 'forwards' ? 'start' : 'end'
    return this.#page(() =>
      this.#client.readAll({
        direction,
        fromPosition: from === undefined ? edge : { commit: from, prepare: from },
        maxCount: limit,
        requiresLeader: true,
      }),
    )
  }

  /** Follows the events of all streams with the prefix. */
  subscribe(
    prefix: string,
    from: 'start' | 'end',
    listener: SubscriptionListener,
  ): ServerSubscription {
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
    // Whoever awaits it gets the error, and nobody has to await it.
    ended.catch(() => {})
    const subscription = this.#client.subscribeToAll({
      fromPosition: from,
      filter: streamNameFilter({
        prefixes: [prefix],
        checkpointInterval: CHECKPOINT_INTERVAL,
        checkpointReached: (_, { commit }) => listener.onProgress?.(commit),
      }),
    })
    const stop = (): void => {
      this.#waiting.delete(stop)
      resolve()
      // Rejects where the call was never made.
      subscription.unsubscribe().catch(() => {})
    }
    this.#waiting.add(stop)
    subscription.on('confirmation', () => listener.onConfirmed?.())
    subscription.on('caughtUp', () => listener.onCaughtUp?.())
    subscription.on('data', ({ event }) => {
      if (event !== undefined) listener.onEvent(toServerEvent(event))
    })
    subscription.on('error', (error) => {
      this.#note(error)
      reject(error)
      stop()
    })
    subscription.on('end', () => {
      reject(new Error('the server has ended the subscription'))
      stop()
    })
    return { ended, stop }
  }

  /** Lets everything that waits go, then closes the connections. Idempotent. */
  async retire(): Promise<void> {
    for (const letGo of [...this.#waiting]) letGo(new ClientRetiredError())
    await this.#client.retire()
  }

  /**
   * @throws {StoreUnavailableError} when the server does not answer, or not with a page
   * @throws {RangeError} when it begins at a position that is none of this log
   */
  async #page(
    start: () => StreamingRead<ResolvedEvent> | StreamingRead<AllStreamResolvedEvent>,
    timeoutMs = this.#readTimeoutMs,
  ): Promise<ServerEvent[]> {
    try {
      return await this.#gate.run(() => this.#collect(start(), timeoutMs))
    } catch (error) {
      if (failureTypeOf(error) === 'stream-not-found') return []
      this.#note(error)
      throw error instanceof StoreUnavailableError ? error : readFailureOf(error)
    }
  }

  #collect(read: StreamingRead<ResolvedEvent>, timeoutMs: number): Promise<ServerEvent[]> {
    const { promise, resolve, reject } = Promise.withResolvers<ServerEvent[]>()
    const events: ServerEvent[] = []
    let isOver = false
    const cancel = (error: Error): void => {
      reject(error)
      // Rejects where the call was never made.
      read.cancel().catch(() => {})
    }
    const onSilence = (): void => cancel(new ServerTimeoutError('a read', timeoutMs))
    let cancelTimer = patientTimer.after(timeoutMs, onSilence)
    this.#waiting.add(cancel)
    read.on('data', ({ event }) => {
      if (isOver) return
      cancelTimer()
      cancelTimer = patientTimer.after(timeoutMs, onSilence)
      if (event !== undefined) events.push(toServerEvent(event))
    })
    read.on('error', reject)
    read.on('end', () => resolve(events))
    return promise.finally(() => {
      isOver = true
      cancelTimer()
      this.#waiting.delete(cancel)
    })
  }

  /** Settles as the promise does, or when the client is retired. */
  #watched<Value>(promise: Promise<Value>): Promise<Value> {
    const watched = Promise.withResolvers<Value>()
    this.#waiting.add(watched.reject)
    promise.then(watched.resolve, watched.reject)
    return watched.promise.finally(() => this.#waiting.delete(watched.reject))
  }

  #note(error: unknown): void {
    this.#hasFailed = true
    if (isDiscoveryFailure(error)) this.#isPoisoned = true
  }
}

function toServerEvent(event: NonNullable<ResolvedEvent['event']>): ServerEvent {
  const { streamId, id, type, revision, position, created, data, metadata } = event
  return {
    stream: streamId,
    id,
    type,
    revision: Number(revision),
    // Servers before 22.10 leave it out in a stream; they are refused at the start.
    position: position?.commit ?? START,
    createdMs: created?.getTime(),
    data:
      data instanceof Uint8Array ? { kind: 'bytes', bytes: data } : { kind: 'json', value: data },
    metadata,
  }
}

/** Nothing is left for the client to serialise that could fail: then its promise never settles. */
function toEventData({ id, type, data, metadata }: NewServerEvent): EventData {
  return data.kind === 'json'
    ? { id, type, metadata, contentType: 'application/json', data: data.value as JSONType }
    : { id, type, metadata, contentType: 'application/octet-stream', data: data.bytes }
}
