/**
 * Appends to one stream of the server, on top of one very event.
 *
 *     is the expected head the last that we know? ── no ──▶ read from there
 *        │ yes                                                │
 *        ▼          nothing behind it                         ├── it is not there ──▶ conflict
 *       send ◀────────────────────────────────────────────────┴── events behind it ─▶ whose?
 *        ├── acknowledged ──▶ appended
 *        ├── another revision expected ──▶ read from there ──▶ ours: duplicate, others: conflict
 *        ├── surely not written ──▶ thrown
 *        └── anything else, or no answer in time ──▶ unknown: the caller sends it again
 *
 * The server fences the revision only. That the event at this revision is the expected one is known
 * from what was appended and read before, over a connection that has not broken since, or is read.
 * A fence that the server reports can rest on an event which is not replicated yet and may go away,
 * so that it counts only when the events that caused it can be read.
 */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import { outcomeOfRepeat } from '@svc/contracts/ports/append'
import {
  type AppendOutcome,
  type AppendRequest,
  NO_STREAM,
  type Position,
  type RecordedEvent,
  StoreAwayError,
  StoreUnavailableError,
  type StreamHead,
} from '@svc/contracts/ports/event-store'
import type { SealedAppend } from '@svc/contracts/ports/hash-chain'
import { RecentlyUsed } from '../../../recently-used.ts'
import type { EventStoreDbClient } from '../client/client.ts'
import type { CurrentClient } from '../client/current-client.ts'
import { answerWithin } from '../client/deadline.ts'
import type { NotWrittenReason, SendResult } from '../client/send-result.ts'
import { appendLimitOf, reasonOf, ServerTimeoutError } from '../client/server-failure.ts'
import { toServerEvent } from '../layout/recorded-event.ts'
import type { StreamPrefix } from '../layout/stream-prefix.ts'
import type { ServerReadStream } from '../messages/server-calls.ts'
import type { SetAsideStreams } from '../watch/set-aside-streams.ts'
import type { WriteRight } from '../watch/write-right.ts'
import type { HoldPlace } from './keyed-queue.ts'

/** Heads that are kept in memory: about 250 bytes each. */
const KNOWN_HEADS_MAX = 20_000

export interface StreamAppendsPorts {
  readonly client: CurrentClient<EventStoreDbClient>
  readonly streamPrefix: StreamPrefix
  readonly setAside: Pick<SetAsideStreams, 'noteDeleted'>
  /** Reads a stream by our name of it. */
  read(request: ServerReadStream): Promise<readonly RecordedEvent[]>
  readonly appendTimeoutMs: number
  readonly reachCrashPoint: ReachCrashPoint
  readonly right: Pick<WriteRight, 'noteWritten' | 'noteDenied'>
}

export class StreamAppends {
  readonly #ports: StreamAppendsPorts
  #heads = new RecentlyUsed<string, StreamHead>({ entriesMax: KNOWN_HEADS_MAX })

  constructor(ports: StreamAppendsPorts) {
    this.#ports = ports
  }

  /** An event that was read: when it is the last one, an append on top of it needs no look. */
  noteRead({ stream, revision, hash }: RecordedEvent): void {
    if (revision >= (this.#heads.get(stream)?.revision ?? NO_STREAM.revision)) {
      this.#heads.set(stream, { revision, hash })
    }
  }

  /**
   * The connection broke: another node may lead now, and in the worst case it lacks the last events
   * of the former leader. What was known is looked up again before anything is built on it.
   */
  forgetHeads(): void {
    this.#heads = new RecentlyUsed({ entriesMax: KNOWN_HEADS_MAX })
  }

  /**
   * @throws {StoreUnavailableError} when nothing of it was written
   */
  async append(
    request: AppendRequest,
    sealed: SealedAppend,
    hold: HoldPlace,
  ): Promise<AppendOutcome> {
    const { stream, expected } = request
    const known = this.#heads.get(stream)
    if (known?.revision !== expected.revision || known.hash !== expected.hash) {
      const outcome = await this.#look(request)
      if (outcome !== undefined) return outcome
    }
    this.#ports.reachCrashPoint('store.before-commit')
    const result = await this.#send(stream, expected.revision, sealed, hold)
    switch (result.kind) {
      case 'appended':
        this.#ports.right.noteWritten(stream)
        return this.#acknowledge(stream, sealed.head, result)
      case 'wrong-expected-revision':
        return this.#whoWasFirst(request)
      case 'not-written':
        if (result.reason === 'unreachable') this.forgetHeads()
        if (result.reason === 'access-denied') this.#ports.right.noteDenied(stream)
        throw this.#refusalOf(stream, result.reason, result.cause)
      case 'unknown':
        // A server that does not answer in time tells nothing about the connection.
        if (!(result.cause instanceof ServerTimeoutError)) this.forgetHeads()
        return result
    }
  }

  /** @returns undefined when the expected event is the last one, so that it can be sent */
  async #look({ stream, expected, events }: AppendRequest): Promise<AppendOutcome | undefined> {
    const { revision, hash } = expected
    if (revision === NO_STREAM.revision) {
      if (hash !== NO_STREAM.hash) return { kind: 'conflict' }
      const there = await this.#read(stream, 0, events.length)
      return there.length === 0 ? undefined : outcomeOfRepeat(expected, events, there)
    }
    const [last, ...there] = await this.#read(stream, revision, 1 + events.length)
    if (last?.revision !== revision || last.hash !== hash) return { kind: 'conflict' }
    return there.length === 0 ? undefined : outcomeOfRepeat(expected, events, there)
  }

  async #send(
    stream: string,
    expected: number,
    { events }: SealedAppend,
    hold: HoldPlace,
  ): Promise<SendResult> {
    const { client, streamPrefix, appendTimeoutMs } = this.#ports
    const current = await client.get()
    const sentAt = performance.now()
    const answer = current.append(streamPrefix.nameOf(stream), expected, events.map(toServerEvent))
    hold(answer.then(() => client.noteAnswer()))
    try {
      return await answerWithin(appendTimeoutMs, 'an append', answer)
    } catch (cause) {
      client.noteSilence(sentAt)
      return { kind: 'unknown', cause }
    }
  }

  async #acknowledge(
    stream: string,
    head: StreamHead,
    { revision, position }: SendResult & { kind: 'appended' },
  ): Promise<AppendOutcome> {
    if (revision !== head.revision) {
      const problem = `${stream} ends at ${revision}, not at ${head.revision}: it was truncated`
      return { kind: 'unknown', cause: new Error(problem) }
    }
    this.#ports.reachCrashPoint('store.after-commit')
    this.#heads.set(stream, head)
    const place = position ?? (await this.#positionOf(stream, revision))
    if (place instanceof Error) return { kind: 'unknown', cause: place }
    return { kind: 'appended', head, position: place }
  }

  async #positionOf(stream: string, revision: number): Promise<Position | Error> {
    try {
      const [event] = await this.#read(stream, revision, 1)
      return event?.position ?? new Error(`${stream} has no event at ${revision}`)
    } catch (error) {
      return asError(error)
    }
  }

  async #whoWasFirst({ stream, expected, events }: AppendRequest): Promise<AppendOutcome> {
    try {
      const there = await this.#read(stream, expected.revision + 1, events.length)
      if (there.length > 0) return outcomeOfRepeat(expected, events, there) ?? { kind: 'conflict' }
      const problem = `${stream} has another head, which cannot be read yet`
      return { kind: 'unknown', cause: new Error(problem) }
    } catch (cause) {
      return { kind: 'unknown', cause }
    }
  }

  #read(stream: string, from: number, limit: number): Promise<readonly RecordedEvent[]> {
    return this.#ports.read({ stream, direction: 'forwards', from, limit })
  }

  #refusalOf(stream: string, reason: NotWrittenReason, cause: unknown): Error {
    switch (reason) {
      case 'unreachable':
        return new StoreAwayError(`the event store is not reachable: ${reasonOf(cause)}`, { cause })
      case 'access-denied':
        return new StoreUnavailableError('the event store does not let our user write', { cause })
      case 'stream-deleted':
        return this.#ports.setAside.noteDeleted(stream, cause)
      case 'too-large':
        return new StoreUnavailableError(`the event store ${appendLimitOf(cause)}`, { cause })
    }
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
