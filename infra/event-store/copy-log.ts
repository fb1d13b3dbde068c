/**
 * Carries a log to another store, event by event in the order of the log, with ids, revisions and
 * hashes as they are. The target is a beginning of the source at every moment, so a copy that was
 * cut off goes on from what is there, and nobody has to be asked what that was.
 *
 *     place ─▶ what the target has behind it is compared ─▶ the next page of the source
 *                                                                │ chain followed
 *                 place ◀── appended, durable ◀──────────────────┘
 */

import { bytesOfEvents } from '@svc/contracts/ports/append'
import { Backoff } from '@svc/contracts/ports/backoff'
import {
  APPEND_BYTES_MAX,
  APPEND_EVENTS_MAX,
  type AppendOutcome,
  type AppendRequest,
  type EventStore,
  NO_STREAM,
  type Position,
  type RecordedEvent,
  START,
  StoreFullError,
  StoreUnavailableError,
  type StreamHead,
} from '@svc/contracts/ports/event-store'
import { verifyChain } from '@svc/contracts/ports/hash-chain'
import type { Timer } from '@svc/contracts/ports/time'
import { RecentlyUsed } from '../recently-used.ts'
import { compareLogs, LogsDifferError } from './same-log.ts'

/** How many events are read, appended and noted at once. */
const PAGE_EVENTS = 1_000
/** Heads of streams that are remembered, about 250 bytes each; others are read again. */
const KNOWN_HEADS_MAX = 20_000
/**
 * How long an append is tried again whose outcome is not known, or that the store cannot take now,
 * in milliseconds. Whoever started the copy is told then, and lets it go on.
 */
const RETRY_MS_MAX = 60_000
const PAUSES = { firstMs: 50, longestMs: 2_000 }

/** The place up to which both logs are the same. */
export interface CopyPlace {
  readonly source: Position
  readonly target: Position
  readonly events: number
}

export const COPY_START: CopyPlace = { source: START, target: START, events: 0 }

export interface CopyOptions {
  readonly source: Pick<EventStore, 'readAll' | 'readStream'>
  readonly target: Pick<EventStore, 'readAll' | 'append'>
  readonly from: CopyPlace
  /**
   * How many appends may be under way. More than one only for a store that writes in the order of
   * the calls, and nothing behind an append that failed.
   */
  readonly appendsAtOnce: number
  readonly timer: Timer
}

/**
 * @yields the place after each page, once its events are durable
 * @throws {LogsDifferError} when the target holds anything else
 * @throws {BrokenChainError} when the source was altered
 * @throws {StoreUnavailableError}
 */
export async function* copyLog(options: CopyOptions): AsyncGenerator<CopyPlace, void> {
  const { source, target, appendsAtOnce, timer } = options
  const heads = new KnownHeads(source)
  let place = options.from
  for (;;) {
    const there = await target.readAll({ after: place.target, limit: PAGE_EVENTS })
    if (there.length === 0) break
    const here = await source.readAll({ after: place.source, limit: there.length })
    compareLogs(here, there)
    place = placeAfter(place, here, there.at(-1)?.position ?? place.target)
    yield place
  }
  for (;;) {
    const page = await source.readAll({ after: place.source, limit: PAGE_EVENTS })
    if (page.length === 0) return
    let reached = place.target
    const appends = await heads.appendsOf(page)
    for (let at = 0; at < appends.length; at += appendsAtOnce) {
      const some = appends.slice(at, at + appendsAtOnce)
      const outcomes = await Promise.all(some.map((request) => settled(target, request, timer)))
      reached = outcomes.at(-1)?.position ?? reached
    }
    place = placeAfter(place, page, reached)
    yield place
  }
}

function placeAfter(place: CopyPlace, page: readonly RecordedEvent[], target: Position): CopyPlace {
  const source = page.at(-1)?.position ?? place.source
  return { source, target, events: place.events + page.length }
}

type Settled = Extract<AppendOutcome, { readonly position: Position }>

/** The very same append again, until its outcome is known. */
async function settled(
  target: Pick<EventStore, 'append'>,
  request: AppendRequest,
  timer: Timer,
): Promise<Settled> {
  const backoff = new Backoff(timer, PAUSES)
  let isOver = false
  let cancelBound: (() => void) | undefined
  try {
    for (;;) {
      const outcome = await appended(target, request)
      if (outcome.kind === 'conflict') throw somebodyElse(request)
      if (outcome.kind !== 'unknown') return outcome
      if (isOver) throw unavailable(outcome.cause)
      cancelBound ??= timer.after(RETRY_MS_MAX, () => {
        isOver = true
      })
      await backoff.pause()
    }
  } finally {
    cancelBound?.()
  }
}

async function appended(
  target: Pick<EventStore, 'append'>,
  request: AppendRequest,
): Promise<AppendOutcome> {
  try {
    return await target.append(request)
  } catch (cause) {
    const mayPass = cause instanceof StoreUnavailableError && !(cause instanceof StoreFullError)
    if (mayPass) return { kind: 'unknown', cause }
    throw cause
  }
}

function somebodyElse({ stream, expected }: AppendRequest): LogsDifferError {
  const what = `the copy holds other events of ${stream} behind revision ${expected.revision}`
  return new LogsDifferError(`${what}: somebody else writes there`)
}

function unavailable(cause: unknown): Error {
  return cause instanceof StoreUnavailableError
    ? cause
    : new StoreUnavailableError('the store does not say whether it has the events', { cause })
}

/** Remembers where the streams of the source stand, as far as it was read. */
class KnownHeads {
  readonly #source: Pick<EventStore, 'readStream'>
  readonly #heads = new RecentlyUsed<string, StreamHead>({ entriesMax: KNOWN_HEADS_MAX })

  constructor(source: Pick<EventStore, 'readStream'>) {
    this.#source = source
  }

  /** Events of one stream that follow each other come in one append. */
  async appendsOf(page: readonly RecordedEvent[]): Promise<readonly AppendRequest[]> {
    const appends: AppendRequest[] = []
    for (const events of groupsOf(page)) {
      const [{ stream, revision }] = events
      const expected = await this.#before(stream, revision)
      this.#heads.set(stream, verifyChain(expected, events))
      appends.push({ stream, expected, events })
    }
    return appends
  }

  async #before(stream: string, revision: number): Promise<StreamHead> {
    if (revision === 0) return NO_STREAM
    const known = this.#heads.get(stream)
    if (known !== undefined) return known
    const request = { stream, direction: 'forwards', from: revision - 1, limit: 1 } as const
    const [before] = await this.#source.readStream(request)
    // Without the event before, the chain breaks at this one, and the caller is told so.
    return before === undefined ? NO_STREAM : { revision: before.revision, hash: before.hash }
  }
}

type Group = [RecordedEvent, ...RecordedEvent[]]

function groupsOf(page: readonly RecordedEvent[]): readonly Group[] {
  const groups: Group[] = []
  let bytes = 0
  for (const event of page) {
    const group = groups.at(-1)
    const more = bytesOfEvents([event])
    const isOfGroup =
      group?.[0].stream === event.stream &&
      group.length < APPEND_EVENTS_MAX &&
      bytes + more <= APPEND_BYTES_MAX
    if (isOfGroup) group.push(event)
    else groups.push([event])
    bytes = isOfGroup ? bytes + more : more
  }
  return groups
}
