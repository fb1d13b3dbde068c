/**
 * Reads the log of the whole server, and passes over what is not ours: the system's events, and
 * those of other programs. The client has no filter for reads, so every event comes over; what was
 * found to hold nothing of ours is remembered, or else a log that others write to would be read
 * again from our last event on at every look.
 */
import { type Position, type RecordedEvent, START } from '@svc/contracts/ports/event-store'
import type { ServerReadAll } from '../client/server-calls.ts'
import type { ServerEvent } from '../client/server-event.ts'
import { KnownGaps } from './known-gaps.ts'

/** One page of the server: at 600 bytes an event, some hundred milliseconds and a megabyte. */
const MAX_PAGE_EVENTS = 2_000
/** The smallest page that is worth a call when little is left to find. */
const MIN_PAGE_EVENTS = 64

export interface LogScanPorts {
  readAll(request: ServerReadAll): Promise<readonly ServerEvent[]>
  /** Undefined when the event is none of ours. */
  toOwn(event: ServerEvent): RecordedEvent | undefined
  /** Told of every event, whoever's it is; of one that is read again, again. */
  note(event: ServerEvent): void
}

interface Page {
  readonly own: readonly RecordedEvent[]
  /** The last event of the page, whoever's it is. */
  readonly through: Position
  readonly isLast: boolean
}

export class LogScan {
  readonly #ports: LogScanPorts
  readonly #gaps = new KnownGaps()
  /** The highest position of ours that is known. Undefined before the first look at the end. */
  #last: Position | undefined
  #appended: Position = START

  constructor(ports: LogScanPorts) {
    this.#ports = ports
  }

  /** An append of this process ended at that position. */
  noteAppended(position: Position): void {
    if (position > this.#appended) this.#appended = position
  }

  /** Our events behind a position: fewer than the limit only when the end is reached. */
  async read(after: Position, limit: number): Promise<readonly RecordedEvent[]> {
    const found: RecordedEvent[] = []
    let place = this.#gaps.skip(after)
    // A page without enough of ours is followed by a larger one.
    for (let size = limit + 1; ; size = Math.max(2 * size, MIN_PAGE_EVENTS)) {
      const last = found.at(-1)?.position ?? after
      const page = await this.#readPage(last, place, Math.min(size, MAX_PAGE_EVENTS))
      found.push(...page.own.slice(0, limit - found.length))
      if (page.isLast || found.length === limit) return found
      place = this.#gaps.skip(page.through)
    }
  }

  /** Position of our last event, or {@link START}. */
  async lastPosition(): Promise<Position> {
    let last = this.#last ?? (await this.#lookBack())
    for (;;) {
      const page = await this.read(last, MAX_PAGE_EVENTS)
      last = page.at(-1)?.position ?? last
      if (page.length < MAX_PAGE_EVENTS) break
    }
    this.#last = greatest(last, this.#last ?? START)
    return greatest(this.#last, this.#appended)
  }

  /** From the end back to our last event: the one look that has nothing to go on from. */
  async #lookBack(): Promise<Position> {
    let from: Position | undefined
    let end: Position | undefined
    for (let limit = MIN_PAGE_EVENTS; ; limit = MAX_PAGE_EVENTS) {
      const place = from === undefined ? {} : { from }
      const events = await this.#ports.readAll({ direction: 'backwards', limit, ...place })
      end ??= events[0]?.position
      for (const event of events.toReversed()) this.#ports.note(event)
      const last = events.find((event) => this.#ports.toOwn(event) !== undefined)?.position
      const lowest = events.at(-1)?.position
      const isStart = events.length < limit || lowest === from
      if (last !== undefined || isStart) {
        this.#gaps.note({ after: last ?? START, through: end ?? START })
        return last ?? START
      }
      from = lowest
    }
  }

  /**
   * @param last nothing of ours is behind this one, up to the place
   * @param place the page begins with the event there, which was seen before
   */
  async #readPage(last: Position, place: Position, limit: number): Promise<Page> {
    const from = place === START ? {} : { from: place }
    const events = await this.#ports.readAll({ direction: 'forwards', limit, ...from })
    const own: RecordedEvent[] = []
    let gap = { after: last, through: place }
    for (const event of events) {
      this.#ports.note(event)
      const recorded = event.position > place ? this.#ports.toOwn(event) : undefined
      if (recorded === undefined) {
        gap.through = event.position
      } else {
        this.#gaps.note(gap)
        gap = { after: event.position, through: event.position }
        own.push(recorded)
      }
    }
    this.#gaps.note(gap)
    return { own, through: gap.through, isLast: events.length < limit }
  }
}

function greatest(one: Position, other: Position): Position {
  return one > other ? one : other
}
