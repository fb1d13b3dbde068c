/**
 * Reads the log of the whole server, and passes over what is not ours: the system's events, and
 * those of other programs.
 *
 *     a page of everything ── holds enough of ours, or the end ──▶ that is it
 *         └── full, and most of it foreign ──▶ the server is asked for ours only
 *
 * The first page costs one call and finds what was just appended. Where the log is shared with busy
 * programs, only the server's filter keeps us from carrying every event of theirs over. What was
 * found to hold nothing of ours is remembered, or else it would be searched at every look.
 *
 * Who wants to know what is passed over is told: what a page holds, exactly; what the filter does
 * not let through, as the server says how far it has looked.
 */
import {
  type PassedOver,
  type Position,
  type RecordedEvent,
  START,
} from '@svc/contracts/ports/event-store'
import { isSilence } from '../client/server-failure.ts'
import type { ServerReadAll } from '../messages/server-calls.ts'
import type { ServerEvent } from '../messages/server-event.ts'
import { KnownGaps } from './known-gaps.ts'

/**
 * The most events in one page of the server: at 600 bytes each, some hundred milliseconds and a
 * megabyte.
 */
const PAGE_EVENTS_MAX = 2_000
/** The look back from the end begins with this many. */
const LOOK_BACK_EVENTS = 64

export interface LogScanPorts {
  readAll(request: ServerReadAll): Promise<readonly ServerEvent[]>
  /** What the names of all streams begin with that hold events of ours, or orders about them. */
  readonly concerning: readonly string[]
  /** Reads an event of ours; undefined when the event is none of ours. */
  toOwn(event: ServerEvent): RecordedEvent | undefined
  /** Is told of every event that is read, whoever's it is, and again of one that is read again. */
  note(event: ServerEvent): void
}

interface Page {
  readonly own: readonly RecordedEvent[]
  /** The position of the last event of the page, whoever's it is. */
  readonly through: Position
  /** The places where events of others stand in the page: how many of ours came before each. */
  readonly foreign: readonly number[]
  readonly isLast: boolean
}

type Found = Omit<Page, 'isLast'>

export class LogScan {
  readonly #ports: LogScanPorts
  readonly #gaps = new KnownGaps()
  /** The highest position of ours that is known. Undefined before the first look at the end. */
  #last: Position | undefined
  #appended: Position = START
  /** The filtered read timed out: only pages get past the events of others that stand here. */
  #isFilterSlow = false

  constructor(ports: LogScanPorts) {
    this.#ports = ports
  }

  /** An append of this process ended at that position. */
  noteAppended(position: Position): void {
    if (position > this.#appended) this.#appended = position
  }

  /** Our events behind a position: fewer than the limit only when the end is reached. */
  async read(
    after: Position,
    limit: number,
    onPassedOver?: PassedOver,
  ): Promise<readonly RecordedEvent[]> {
    const found: RecordedEvent[] = []
    const size = Math.min(limit + 1, PAGE_EVENTS_MAX)
    let page = await this.#readPage(after, this.#gaps.skip(after), size)
    for (;;) {
      const taken = page.own.slice(0, limit - found.length)
      found.push(...taken)
      if (onPassedOver !== undefined) tellPassedOver(page, taken.length, onPassedOver)
      if (page.isLast || found.length === limit) return found
      const last = found.at(-1)?.position ?? after
      const wanted = limit - found.length
      page = await this.#readOn(last, this.#gaps.skip(page.through), wanted, onPassedOver)
    }
  }

  /**
   * Our events from a position back to the start, the newest first: fewer than the limit only when
   * the start is reached.
   *
   * @param from of an event; undefined: from the end
   */
  async readBackwards(
    from: Position | undefined,
    limit: number,
  ): Promise<readonly RecordedEvent[]> {
    const found = from === undefined ? [] : await this.#readAt(from)
    for (let place = from; found.length < limit; ) {
      const size = Math.min(limit - found.length, PAGE_EVENTS_MAX)
      const page = await this.#filtered({ direction: 'backwards', limit: size, from: place })
      for (const event of page.events) this.#ports.note(event)
      found.push(...page.events.flatMap((event) => this.#ports.toOwn(event) ?? []))
      place = page.events.at(-1)?.position
      if (page.isLast || place === undefined) break
    }
    return found.slice(0, limit)
  }

  /** Backwards the server begins before the place that it is given. */
  async #readAt(position: Position): Promise<RecordedEvent[]> {
    const [event] = await this.#ports.readAll({ direction: 'forwards', from: position, limit: 1 })
    if (event?.position !== position) return []
    this.#ports.note(event)
    const own = this.#ports.toOwn(event)
    return own === undefined ? [] : [own]
  }

  /** The position of our last event, or {@link START}. */
  async lastPosition(): Promise<Position> {
    let last = this.#last ?? (await this.#lookBack())
    for (;;) {
      const page = await this.read(last, PAGE_EVENTS_MAX)
      last = page.at(-1)?.position ?? last
      if (page.length < PAGE_EVENTS_MAX) break
    }
    this.#last = greatest(last, this.#last ?? START)
    return greatest(this.#last, this.#appended)
  }

  /**
   * Looks from the end back to our last event. This is the one look that has nothing to go on from.
   */
  async #lookBack(): Promise<Position> {
    const direction = 'backwards'
    let events = await this.#ports.readAll({ direction, limit: LOOK_BACK_EVENTS })
    let isLast = events.length < LOOK_BACK_EVENTS
    const end = events[0]?.position ?? START
    for (;;) {
      for (const event of events.toReversed()) this.#ports.note(event)
      const last = events.find((event) => this.#ports.toOwn(event) !== undefined)?.position
      const from = events.at(-1)?.position
      if (last !== undefined || from === undefined || isLast) {
        this.#gaps.note({ after: last ?? START, through: end })
        return last ?? START
      }
      const page = await this.#filtered({ direction, from, limit: LOOK_BACK_EVENTS })
      events = page.events
      isLast = page.isLast
    }
  }

  /** Reads the next page of ours, where those of others are many. */
  async #readOn(
    last: Position,
    place: Position,
    wanted: number,
    onPassedOver: PassedOver | undefined,
  ): Promise<Page> {
    // If the filter lets nothing more through, what is there now was passed over.
    const [end] = await this.#ports.readAll({ direction: 'backwards', limit: 1 })
    const watch = onPassedOver && end && { until: end.position, onPassedOver }
    // One event more would tell of what stands before it, which the next page passes over once
    // more.
    const limit = Math.min(watch === undefined ? wanted + 1 : wanted, PAGE_EVENTS_MAX)
    const page = await this.#filtered({
      direction: 'forwards',
      limit,
      ...fromPlace(place),
      ...(watch && { watch }),
    })
    const found = this.#look(page.events, last, place)
    if (!page.isLast || end === undefined || end.position <= found.through) {
      return { ...found, isLast: page.isLast }
    }
    this.#gaps.note({ after: found.own.at(-1)?.position ?? last, through: end.position })
    return { ...found, through: end.position, isLast: true }
  }

  /**
   * Reads what the server's filter lets through, or a larger page of everything once the filter
   * took too long. Ours are found either way.
   */
  async #filtered(
    request: ServerReadAll,
  ): Promise<{ readonly events: readonly ServerEvent[]; readonly isLast: boolean }> {
    const { readAll, concerning: streams } = this.#ports
    const { watch, ...unwatched } = request
    if (!this.#isFilterSlow) {
      try {
        const events = await readAll({ ...request, streams })
        return { events, isLast: events.length < request.limit }
      } catch (error) {
        if (!isSilence(error)) throw error
        this.#isFilterSlow = true
      }
    }
    const events = await readAll({ ...unwatched, limit: PAGE_EVENTS_MAX })
    return { events, isLast: events.length < PAGE_EVENTS_MAX }
  }

  /** @param limit how many events of whomever */
  async #readPage(last: Position, place: Position, limit: number): Promise<Page> {
    const request = { direction: 'forwards', limit, ...fromPlace(place) } as const
    const events = await this.#ports.readAll(request)
    return { ...this.#look(events, last, place), isLast: events.length < limit }
  }

  /**
   * @param last nothing of ours is behind this one, up to the place
   * @param place the page may begin with the event there, which was seen before
   */
  #look(events: readonly ServerEvent[], last: Position, place: Position): Found {
    const own: RecordedEvent[] = []
    const foreign: number[] = []
    let gap = { after: last, through: place }
    for (const event of events) {
      this.#ports.note(event)
      const isNew = event.position > place
      const recorded = isNew ? this.#ports.toOwn(event) : undefined
      if (recorded === undefined) {
        gap.through = event.position
        if (isNew) foreign.push(own.length)
      } else {
        this.#gaps.note(gap)
        gap = { after: event.position, through: event.position }
        own.push(recorded)
      }
    }
    this.#gaps.note(gap)
    return { own, through: gap.through, foreign }
  }
}

/**
 * Tells of the events of others before the last one that is taken. What stands behind it comes
 * again with the next page.
 */
function tellPassedOver({ own, foreign }: Found, taken: number, onPassedOver: PassedOver): void {
  const isWhole = taken === own.length
  const count = isWhole ? foreign.length : foreign.filter((before) => before < taken).length
  if (count > 0) onPassedOver(count)
}

function fromPlace(place: Position): { readonly from?: Position } {
  return place === START ? {} : { from: place }
}

function greatest(one: Position, other: Position): Position {
  return one > other ? one : other
}
