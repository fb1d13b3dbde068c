/**
 * The log as a thread reads it that does not have it: it asks the one that does for pages, and for
 * the next ones before it needs them.
 */
import type {
  EventStore,
  Position,
  ReadAllRequest,
  RecordedEvent,
} from '@svc/contracts/ports/event-store'

/** Pages that are under way or wait to be folded. */
const PAGES_AHEAD = 3

/** A page, and the one behind it once that was asked for. */
interface Page {
  readonly after: Position
  readonly events: Promise<readonly RecordedEvent[]>
  next: Page | undefined
}

export class RemoteLog implements Pick<EventStore, 'readAll'> {
  readonly #ask: (after: Position) => Promise<readonly RecordedEvent[]>
  #next: Page | undefined

  /** @param ask for the page behind a position, of a size that the other side chooses */
  constructor(ask: (after: Position) => Promise<readonly RecordedEvent[]>) {
    this.#ask = ask
  }

  async readAll({ after }: Pick<ReadAllRequest, 'after'>): Promise<readonly RecordedEvent[]> {
    const page = this.#next?.after === after ? this.#next : this.#pageBehind(after)
    this.#readOn(page, PAGES_AHEAD)
    try {
      const events = await page.events
      this.#next = page.next
      return events
    } catch (error) {
      this.#next = undefined
      throw error
    }
  }

  #pageBehind(after: Position): Page {
    const events = this.#ask(after)
    // A page that was asked for in time may fail before anybody waits for it: that is told when it
    // is needed, and must not end the thread before.
    events.catch(() => {})
    return { after, events, next: undefined }
  }

  /** Reads pages ahead. What fails here fails once more when it is needed. */
  #readOn(page: Page, pages: number): void {
    if (pages === 0) return
    page.events.then(
      (events) => {
        const last = events.at(-1)
        if (last === undefined) return
        page.next ??= this.#pageBehind(last.position)
        this.#readOn(page.next, pages - 1)
      },
      () => {},
    )
  }
}
