/** The events of one stream, and the settings that hide some of them from its readers. */
import type { StoredEvent } from './stored-event.ts'

/** A stream is deleted by truncating it before this revision, which no stream reaches. */
export const DELETED_BEFORE = 2 ** 63
/** The type of the event by which the real server deletes a stream for ever. */
export const DELETED_FOR_EVER = '$streamDeleted'

type Metadata = Readonly<Record<string, unknown>>

export class StreamLog {
  readonly name: string
  /** An event's revision is its index here: nothing is ever scavenged. */
  readonly events: StoredEvent[] = []
  /** Each with the number of events that stood before it in the log. */
  readonly #descriptions: { readonly index: number; readonly metadata: Metadata }[] = []

  constructor(name: string) {
    this.name = name
  }

  get metadata(): Metadata {
    return this.#descriptions.at(-1)?.metadata ?? {}
  }

  /** A tombstone: neither read nor written again. */
  get isTombstoned(): boolean {
    return this.events.at(-1)?.type === DELETED_FOR_EVER
  }

  /** The revision of the last event; -1 without any. */
  get last(): number {
    return this.events.length - 1
  }

  eventAt(revision: number): StoredEvent | undefined {
    return this.events[revision]
  }

  get isSoftDeleted(): boolean {
    return this.#truncateBefore >= DELETED_BEFORE
  }

  /** The first revision that `$maxCount` and `$tb` let readers see. */
  get firstReadable(): number {
    const count = numberIn(this.metadata, '$maxCount')
    const byCount = count === undefined ? 0 : this.events.length - count
    return Math.max(0, byCount, this.#truncateBefore)
  }

  /** Takes over the settings in the data of a metadata event; what is no JSON sets nothing. */
  describe(data: Uint8Array, index: number): void {
    this.#descriptions.push({ index, metadata: metadataIn(data) ?? this.metadata })
  }

  /**
   * Forgets what the log got after its first events.
   *
   * @param count of the events that stay
   * @returns remembers it again
   */
  cutBack(count: number): () => void {
    const [events, descriptions] = [[...this.events], [...this.#descriptions]]
    const isThere = ({ index }: { readonly index: number }): boolean => index < count
    this.events.length = this.events.filter(isThere).length
    this.#descriptions.length = this.#descriptions.filter(isThere).length
    return () => {
      this.events.splice(0, this.events.length, ...events)
      this.#descriptions.splice(0, this.#descriptions.length, ...descriptions)
    }
  }

  get #truncateBefore(): number {
    return numberIn(this.metadata, '$tb') ?? 0
  }
}

/** @returns undefined for JSON that is no object */
function metadataIn(data: Uint8Array): Metadata | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(data).toString('utf8'))
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : undefined
  } catch {
    return {}
  }
}

function numberIn(record: Readonly<Record<string, unknown>>, key: string): number | undefined {
  const value = record[key]
  return typeof value === 'number' ? value : undefined
}
