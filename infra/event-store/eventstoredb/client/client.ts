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
import { streamNameFilter } from '@eventstore/db-client'
import { StoreUnavailableError } from '@svc/contracts/ports/event-store'
import { patientTimer } from '../../../system/patient-timer.ts'
import type {
  ServerReadAll,
  ServerReadStream,
  ServerSubscription,
  SubscriptionListener,
} from '../messages/server-calls.ts'
import type { NewServerEvent, ServerEvent } from '../messages/server-event.ts'
import type { PageRequest, StreamCalls } from '../messages/stream-calls.ts'
import { CertificateFiles } from './client-settings.ts'
import type { ConnectionSettings } from './connection-string.ts'
import { answerWithin } from './deadline.ts'
import { LibraryCalls, toServerEvent } from './library-calls.ts'
import { OwnCalls } from './own-calls.ts'
import { ReadGate } from './read-gate.ts'
import { RetirableClient } from './retirable-client.ts'
import { notSent, type SendResult, sendResultOf } from './send-result.ts'
import {
  ClientRetiredError,
  failureTypeOf,
  isDiscoveryFailure,
  isUnavailable,
  readFailureOf,
  ServerTimeoutError,
} from './server-failure.ts'

/**
 * How often the server tells how far it has looked, in units of 32 events that it passes over:
 * seldom, so that a quiet log says little.
 */
const CHECKPOINT_INTERVAL = 100
/**
 * How long a read may bring no event while the server passes over those of others: enough for some
 * ten million. A server that hangs is noticed by the keepalive before.
 */
const FILTERED_READ_TIMEOUT_MS = 60_000
/**
 * The oldest server whose subscriptions tell that they have sent all there was, as a page needs.
 */
const OLDEST_WATCHED = 2_310
/**
 * How long a client of the library has had its appends denied when it is replaced: a user who is
 * refused for long costs one connection in that time, however many appends there are.
 */
const DENIED_MIN_MS = 10_000

export class EventStoreDbClient {
  readonly #client: RetirableClient
  readonly #calls: StreamCalls
  readonly #isOwn: boolean
  readonly #readTimeoutMs: number
  readonly #gate: ReadGate
  /** Rejects what waits for the server, when the client is retired. */
  readonly #waiting = new Set<(error: Error) => void>()
  readonly #certificates: CertificateFiles
  /** When an append was first denied since one was taken, of `performance.now()`. */
  #deniedAt: number | undefined
  #isPoisoned = false
  #hasFailed = false

  /** @throws {ConnectionStringError} when a file that the settings name cannot be read */
  constructor(settings: ConnectionSettings, readTimeoutMs: number) {
    this.#client = new RetirableClient(settings)
    this.#isOwn = settings.options.encoding === 'own'
    this.#calls = this.#isOwn ? new OwnCalls(this.#client) : new LibraryCalls(this.#client)
    this.#certificates = new CertificateFiles(settings)
    this.#readTimeoutMs = readTimeoutMs
    this.#gate = new ReadGate(readTimeoutMs)
  }

  /**
   * Whether only another client object helps: every later append would fail at once, or something
   * has failed and the certificates are others than those that it was made with.
   *
   * The library has one call for appends as long as its connection lasts, and the server looks at
   * the user when that is opened: a call that was denied is denied also when the password is right
   * again. A call that lets another append through knows the user: then it is the stream that is
   * denied, and another client would be denied it too.
   */
  get isPoisoned(): boolean {
    if (this.#isPoisoned) return true
    if (performance.now() - (this.#deniedAt ?? Infinity) >= DENIED_MIN_MS) return true
    return this.#hasFailed && this.#certificates.haveChanged()
  }

  /** The node that answers, as `host:port`; undefined before the first connection. */
  get connectedTo(): string | undefined {
    return this.#client.connectedTo
  }

  /**
   * The version as the server says it, such as `23.10.8`, or `unknown` of a server too old to be
   * asked.
   */
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
      const appended = await this.#watched(this.#calls.append(stream, expected, events))
      this.#deniedAt = undefined
      return { kind: 'appended', ...appended }
    } catch (error) {
      this.#note(error)
      // Our own calls are opened anew by themselves.
      if (!this.#isOwn && failureTypeOf(error) === 'access-denied') {
        this.#deniedAt ??= performance.now()
      }
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

  /**
   * Reads one page. It is empty for a stream that is missing or softly deleted.
   * @throws as {@link #page}
   */
  readStream(request: ServerReadStream): Promise<ServerEvent[]> {
    return this.#page(request, this.#readTimeoutMs)
  }

  /**
   * One page of all events, also those of the system. Forwards it holds the event at `from`, unless
   * it is watched.
   *
   * @throws as {@link #page}
   */
  async readAll(request: ServerReadAll): Promise<ServerEvent[]> {
    if (request.streams === undefined) return this.#page(request, this.#readTimeoutMs)
    const timeoutMs = Math.max(this.#readTimeoutMs, FILTERED_READ_TIMEOUT_MS)
    const { watch, ...unwatched } = request
    const isWatched = watch !== undefined && (await this.#saysHowFar())
    return this.#page(isWatched ? { ...unwatched, watch } : unwatched, timeoutMs)
  }

  /** Whether it says how far it has looked among events that a filter does not let through. */
  async #saysHowFar(): Promise<boolean> {
    if (!this.#isOwn) return false
    // A version that cannot be asked for is no matter here: if the server is away, the read itself
    // says so.
    const version = await this.serverVersion().catch(() => '')
    const [, year = 0, month = 0] = /^(\d+)\.(\d+)/.exec(version) ?? []
    return 100 * Number(year) + Number(month) >= OLDEST_WATCHED
  }

  /** Follows the events of all streams with the prefix. */
  subscribe(
    prefix: string,
    from: 'start' | 'end',
    listener: SubscriptionListener,
  ): ServerSubscription {
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
    // Whoever awaits this gets the error, and nobody has to await it.
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
  async #page(request: PageRequest, timeoutMs: number): Promise<ServerEvent[]> {
    try {
      return await this.#gate.run(() => this.#collect(request, timeoutMs))
    } catch (error) {
      if (failureTypeOf(error) === 'stream-not-found') return []
      this.#note(error)
      throw error instanceof StoreUnavailableError ? error : readFailureOf(error)
    }
  }

  async #collect(request: PageRequest, timeoutMs: number): Promise<ServerEvent[]> {
    const events: ServerEvent[] = []
    let lastSignAt = performance.now()
    const watched = withSigns(request, () => {
      lastSignAt = performance.now()
    })
    const read = this.#calls.read(watched, (event) => {
      lastSignAt = performance.now()
      events.push(event)
    })
    const { promise: letGo, reject } = Promise.withResolvers<never>()
    const cancel = (error: Error): void => {
      reject(error)
      read.cancel()
    }
    const wait = (restMs: number): (() => void) =>
      patientTimer.after(restMs, () => {
        const restMs = lastSignAt + timeoutMs - performance.now()
        if (restMs > 0) cancelTimer = wait(restMs)
        else cancel(new ServerTimeoutError('a read', timeoutMs))
      })
    let cancelTimer = wait(timeoutMs)
    this.#waiting.add(cancel)
    try {
      await Promise.race([read.ended, letGo])
      return events
    } finally {
      cancelTimer()
      this.#waiting.delete(cancel)
    }
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

/** Makes the same request, and tells its caller also when the server passes over events. */
function withSigns(request: PageRequest, onSign: () => void): PageRequest {
  if ('stream' in request || request.watch === undefined) return request
  const { until, onPassedOver } = request.watch
  const watch = {
    until,
    onPassedOver(events: number) {
      onSign()
      onPassedOver(events)
    },
  }
  return { ...request, watch }
}
