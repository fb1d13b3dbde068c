/**
 * Reads the log once for several threads that fold it, page by page, in steps of the pace.
 *
 * The last pages are kept, so that all readers find what the first of them has had read. The first
 * waits when it is too far ahead of the last one that still folds. Who asks for another place, such
 * as a thread that folds events again, gets a page of its own.
 */
import {
  type EventStore,
  type PassedOver,
  type Position,
  type RecordedEvent,
  START,
} from '@svc/contracts/ports/event-store'
import { type Pace, stepSize } from '@svc/contracts/ports/pace'
import { type EventPage, lastPosition, packEvents, unpackEvents } from './event-page.ts'

/** Events that are read without a break: a millisecond or two. */
const PAGE_EVENTS = 250
/** Some 200 KB each. */
const PAGES_KEPT = 16
/**
 * How many pages are read ahead: less than are kept, so that the last reader finds the pages that
 * the first has had read.
 */
const PAGES_AHEAD_MAX = 12

interface KeptPage {
  /** The number of the page among all that were read one behind the other. */
  readonly number: number
  readonly events: Promise<EventPage>
}

export interface PageSource {
  readonly store: Pick<EventStore, 'readAll'>
  readonly pace: Pace
}

export class LogPages {
  readonly #source: PageSource
  readonly #readers = new Set<PageReader>()
  /** Pages by the position that they lie behind. */
  readonly #kept = new Map<Position, KeptPage>()
  #next: Position = START
  #read = 0
  #moved = Promise.withResolvers<void>()
  /** Is told of events of others, in a log that is shared with them. */
  onPassedOver: PassedOver | undefined

  constructor(source: PageSource) {
    this.#source = source
  }

  reader(): PageReader {
    const reader = new PageReader(this)
    this.#readers.add(reader)
    return reader
  }

  /** Some reader has gone on, or does not read for the moment. */
  moved(): void {
    this.#moved.resolve()
    this.#moved = Promise.withResolvers()
  }

  /** The page behind a position; empty at the end of the log. */
  async pageBehind(after: Position, reader: PageReader): Promise<KeptPage> {
    for (;;) {
      const kept = this.#kept.get(after)
      if (kept !== undefined) return kept
      if (after !== this.#next) {
        return { number: reader.number, events: this.#readPage(after) }
      }
      if (!this.#isFarAhead()) return this.#readNext(after)
      await this.#moved.promise
    }
  }

  #isFarAhead(): boolean {
    for (const { isReading, number } of this.#readers) {
      if (isReading && this.#read - number >= PAGES_AHEAD_MAX) return true
    }
    return false
  }

  #readNext(after: Position): KeptPage {
    this.#read += 1
    const events = this.#readPage(after)
    const page: KeptPage = { number: this.#read, events }
    this.#kept.set(after, page)
    // For a single reader no page is kept: they would only grow old before they are collected.
    const keptMax = this.#readers.size > 1 ? PAGES_KEPT : 1
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= keptMax) break
      this.#kept.delete(oldest)
    }
    events.then(
      (found) => {
        const last = lastPosition(found)
        if (last === undefined) this.#kept.delete(after)
        else this.#next = last
      },
      () => this.#kept.delete(after),
    )
    return page
  }

  async #readPage(after: Position): Promise<EventPage> {
    const { store, pace } = this.#source
    const limit = stepSize(pace, PAGE_EVENTS)
    const { onPassedOver } = this
    const request = { after, limit, ...(onPassedOver && { onPassedOver }) }
    return packEvents(await pace.step(() => store.readAll(request)))
  }
}

/** Reads pages for one of those who fold the log. */
export class PageReader {
  readonly #pages: LogPages
  #number = 0
  #isReading = false

  constructor(pages: LogPages) {
    this.#pages = pages
  }

  /** The number of the page that it has read last. */
  get number(): number {
    return this.#number
  }

  /** Whether others wait for it when they are far ahead. */
  get isReading(): boolean {
    return this.#isReading
  }

  set isReading(isReading: boolean) {
    this.#isReading = isReading
    this.#pages.moved()
  }

  async eventsBehind(after: Position): Promise<readonly RecordedEvent[]> {
    return unpackEvents(await this.packedBehind(after))
  }

  /** Reads the next page packed for another thread. */
  async packedBehind(after: Position): Promise<EventPage> {
    const page = await this.#pages.pageBehind(after, this)
    this.#number = Math.max(this.#number, page.number)
    this.#pages.moved()
    return page.events
  }
}
