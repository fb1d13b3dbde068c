/** The events of one stream, and the settings that hide some of them from its readers. */
import type { StoredEvent } from './stored-event.ts'

/** A stream is deleted by truncating it before this revision, which no stream reaches. */
export const DELETED_BEFORE = 2 ** 63

export class StreamLog {
  readonly name: string
  /** An event's revision is its index here: nothing is ever scavenged. */
  readonly events: StoredEvent[] = []
  /** A tombstone: neither read nor written again. */
  isTombstoned = false
  metadata: Readonly<Record<string, unknown>> = {}

  constructor(name: string) {
    this.name = name
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
  describe(data: Uint8Array): void {
    try {
      const parsed: unknown = JSON.parse(Buffer.from(data).toString('utf8'))
      if (typeof parsed === 'object' && parsed !== null) this.metadata = { ...parsed }
    } catch {
      this.metadata = {}
    }
  }

  get #truncateBefore(): number {
    return numberIn(this.metadata, '$tb') ?? 0
  }
}

function numberIn(record: Readonly<Record<string, unknown>>, key: string): number | undefined {
  const value = record[key]
  return typeof value === 'number' ? value : undefined
}
