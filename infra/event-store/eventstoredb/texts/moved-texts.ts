/**
 * Texts that were carried to the server from another store keep their ids, which say nothing of
 * where they stand here: they lie in the order of their ids, and are searched by halves.
 */
import { isDeepStrictEqual } from 'node:util'
import { Backoff } from '@svc/contracts/ports/backoff'
import { APPEND_BYTES_MAX, StoreUnavailableError } from '@svc/contracts/ports/event-store'
import type { MovableTexts, OwnedText, OwnedTexts } from '@svc/contracts/ports/movable-texts'
import { systemTimer } from '../../../system/system-timer.ts'
import { reasonOf } from '../client/server-failure.ts'
import type { ServerReadAll } from '../messages/server-calls.ts'
import { type NewServerEvent, NO_EVENTS, type ServerEvent } from '../messages/server-event.ts'
import {
  movedEvent,
  type OwnerStart,
  type OwnerStreams,
  type PlacedText,
  placeOf,
  startEvent,
} from './owner-streams.ts'

/** How many texts of one owner are read in one call. A text has 10,000 characters at most. */
const PAGE_TEXTS = 100
const PAGE_EVENTS = 1_000
const APPEND_TEXTS_MAX = 250
const TRIES_MAX = 16
const PAUSES = { firstMs: 50, longestMs: 1_000 }
/**
 * The bound between places and the ids of other stores: no stream has this many events, and of
 * those ids one in 2³² is this low.
 */
const PLACE_MAX = 2 ** 32

export interface MovedTextsPorts {
  readonly streams: OwnerStreams
  readonly readAll: (request: ServerReadAll) => Promise<readonly ServerEvent[]>
}

export class MovedTexts implements MovableTexts {
  readonly #streams: OwnerStreams
  readonly #readAll: MovedTextsPorts['readAll']

  constructor({ streams, readAll }: MovedTextsPorts) {
    this.#streams = streams
    this.#readAll = readAll
  }

  /** Keeps the names of all in memory, about 100 bytes each. */
  async *owners(): AsyncGenerator<string> {
    const { prefix } = this.#streams
    const seen = new Set<string>()
    let from: bigint | undefined
    for (;;) {
      const request = { direction: 'forwards', limit: PAGE_EVENTS, streams: [prefix] } as const
      const page = await this.#readAll({ ...request, from })
      for (const { stream } of page) {
        const owner = stream.slice(prefix.length)
        if (seen.has(owner)) continue
        seen.add(owner)
        yield owner
      }
      const last = page.at(-1)?.position
      if (last === undefined || last === from || page.length < PAGE_EVENTS) return
      from = last
    }
  }

  async allOf(owner: string): Promise<OwnedTexts | undefined> {
    const start = await this.#streams.start(owner)
    if (start === undefined) {
      const isErased = await this.#streams.isEnded(owner)
      return isErased ? { owner, salt: undefined, texts: [] } : undefined
    }
    const texts: OwnedText[] = []
    for await (const { id, text } of this.#streams.allTexts(owner, start)) texts.push({ id, text })
    return { owner, salt: start.salt, texts: texts.sort(byId) }
  }

  async takeOver({ owner, salt, texts }: OwnedTexts): Promise<void> {
    if (salt === undefined) return this.#streams.end(owner)
    const sorted = texts.toSorted(byId)
    const places = sorted.flatMap(({ id }) => placeOf(id) ?? []).filter((id) => id < PLACE_MAX)
    const idsAbove = places.reduce((most, place) => Math.max(most, place), 0)
    const start = { salt, moved: sorted.length, idsAbove }
    const events = [startEvent(start), ...sorted.map(movedEvent)]
    const backoff = new Backoff(systemTimer, PAUSES)
    let cause: unknown
    while (backoff.pauses < TRIES_MAX) {
      const last = await this.#streams.lastRevision(owner)
      const isOther = last !== NO_EVENTS && !(await this.#isStart(owner, start))
      if (isOther || last >= events.length) throw otherTexts(owner)
      const append = firstAppendOf(events.slice(last + 1))
      if (append.length === 0) return
      // After an append whose outcome is not known these are the very same events again.
      const result = await this.#streams.send(owner, last, append)
      if (result.kind === 'appended') continue
      if (result.kind === 'not-written' && result.reason === 'stream-deleted') {
        throw otherTexts(owner)
      }
      if (result.kind !== 'wrong-expected-revision') cause = result.cause
      await backoff.pause()
    }
    throw new StoreUnavailableError(`texts could not be moved: ${reasonOf(cause)}`, { cause })
  }

  /** @param ids in their order. @returns those that came from another store */
  async find(
    owner: string,
    start: OwnerStart,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>()
    let page: readonly PlacedText[] = []
    for (const id of ids) {
      if (!covers(page, id)) page = await this.#search(owner, start, id)
      const text = page.find((each) => each.id === id)?.text
      if (text !== undefined) found.set(id, text)
    }
    return found
  }

  /** @returns the page in which the id is, if it is anywhere */
  async #search(owner: string, start: OwnerStart, id: string): Promise<readonly PlacedText[]> {
    let low = 1
    let high = start.moved
    while (low <= high) {
      const middle = Math.floor((low + high - PAGE_TEXTS) / 2)
      const from = Math.max(low, middle)
      const limit = Math.min(PAGE_TEXTS, high - from + 1)
      const page = await this.#streams.texts(owner, start, { from, limit })
      const [first] = page
      if (first === undefined || covers(page, id)) return page
      if (id < first.id) high = from - 1
      else low = from + limit
    }
    return []
  }

  async #isStart(owner: string, start: OwnerStart): Promise<boolean> {
    const there = await this.#streams.start(owner)
    return isDeepStrictEqual(there && plain(there), plain(start))
  }
}

function otherTexts(owner: string): RangeError {
  return new RangeError(
    `the event store holds other texts of ${owner}, or somebody keeps some there`,
  )
}

function covers(page: readonly PlacedText[], id: string): boolean {
  const [first] = page
  const last = page.at(-1)
  return first !== undefined && last !== undefined && first.id <= id && id <= last.id
}

/** Takes as many events as one append takes. */
function firstAppendOf(events: readonly NewServerEvent[]): readonly NewServerEvent[] {
  let bytes = 0
  const end = events.slice(0, APPEND_TEXTS_MAX).findIndex(({ data }) => {
    bytes += data.kind === 'json' ? Buffer.byteLength(data.text) : data.bytes.length
    return bytes > APPEND_BYTES_MAX
  })
  return events.slice(0, end === -1 ? APPEND_TEXTS_MAX : end)
}

function byId(one: OwnedText, other: OwnedText): number {
  if (one.id === other.id) return 0
  return one.id < other.id ? -1 : 1
}

function plain({ salt, ...rest }: OwnerStart) {
  return { ...rest, salt: Buffer.from(salt).toString('hex') }
}
