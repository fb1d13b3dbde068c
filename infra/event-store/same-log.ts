/** Whether one log is the other: the same events in the same order, to the byte. */
import {
  type EventStore,
  type Position,
  type RecordedEvent,
  START,
} from '@svc/contracts/ports/event-store'

type Reads = Pick<EventStore, 'readAll' | 'readStream'>

/** What makes an event itself. Its position is that of its store. */
const FIELDS = ['stream', 'revision', 'id', 'type', 'data', 'metadata', 'hash'] as const

export class LogsDifferError extends Error {
  override readonly name = 'LogsDifferError'
}

/**
 * @param copy a page of the copy that begins where the page of the original does
 * @throws {LogsDifferError} at the first event that is not the same
 */
export function compareLogs(
  original: readonly RecordedEvent[],
  copy: readonly RecordedEvent[],
): void {
  for (const [at, found] of copy.entries()) {
    const wanted = original[at]
    const isSame = wanted !== undefined && FIELDS.every((field) => wanted[field] === found[field])
    if (!isSame) throw new LogsDifferError(differenceOf(found, wanted))
  }
}

function differenceOf(found: RecordedEvent, wanted: RecordedEvent | undefined): string {
  const isThere = `the copy holds event ${found.revision} of ${found.stream} (${found.id})`
  return wanted === undefined
    ? `${isThere}, which the original does not hold there`
    : `${isThere} where the original holds event ${wanted.revision} of ${wanted.stream} (${wanted.id})`
}

/** The copy, read from its start to its end, and compared with the original on the way. */
export class ComparedLog implements Reads {
  readonly #original: Reads
  readonly #copy: Reads
  #reached: Position = START

  constructor(original: Reads, copy: Reads) {
    this.#original = original
    this.#copy = copy
  }

  /** Reads the page behind the one before. @throws {LogsDifferError} */
  async readAll(request: Parameters<Reads['readAll']>[0]): Promise<readonly RecordedEvent[]> {
    const copy = await this.#copy.readAll(request)
    const limit = Math.max(copy.length, 1)
    const original = await this.#original.readAll({ after: this.#reached, limit })
    const [more] = original
    if (copy.length === 0 && more !== undefined) {
      throw new LogsDifferError(
        `the copy ends before event ${more.revision} of ${more.stream} (${more.id})`,
      )
    }
    compareLogs(original, copy)
    this.#reached = original.at(-1)?.position ?? this.#reached
    return copy
  }

  readStream(request: Parameters<Reads['readStream']>[0]): Promise<readonly RecordedEvent[]> {
    return this.#copy.readStream(request)
  }
}
