/**
 * Streams that a view leaves out, each from an event on that cannot be folded. They are kept in the
 * file of the view, with its rows.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import type { DecodedEvent } from '../../projection/decode.ts'
import { select } from '../../projection/select.ts'

/** The holes of a view, by the stream. */
export type SetAside = ReadonlyMap<string, ViewHole>

/** The place where a view has stopped to follow a stream, and why. */
export interface ViewHole {
  readonly revision: number
  readonly cause: string
}

/**
 * The table of streams that are set aside: what stands in them from the revision on is in no row.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS set_aside (
    stream    TEXT PRIMARY KEY,
    revision  INTEGER NOT NULL,
    cause     TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`

export class SetAsideStreams {
  readonly #holes: Map<string, ViewHole>
  /** Streams that are not in the table yet. */
  readonly #new = new Set<string>()

  /** Reads them. A file from before there was such a table gets it here, empty. */
  constructor(database: DatabaseSync) {
    database.exec(SCHEMA)
    const sql = 'SELECT stream, revision, cause FROM set_aside'
    const rows = select<ViewHole & { readonly stream: string }>(database, sql).all()
    this.#holes = new Map(rows.map(({ stream, revision, cause }) => [stream, { revision, cause }]))
  }

  get holes(): SetAside {
    return this.#holes
  }

  /** Leaves out a stream from this event on, for the rest of the life of the file. */
  add({ stream, revision }: Pick<RecordedEvent, 'stream' | 'revision'>, cause: string): void {
    if (this.#holes.has(stream)) return
    this.#holes.set(stream, { revision, cause })
    this.#new.add(stream)
  }

  /** Those of the events that the view follows. */
  followed(events: readonly DecodedEvent[]): readonly DecodedEvent[] {
    if (this.#holes.size === 0) return events
    return events.filter(({ recorded: { stream, revision } }) => {
      const hole = this.#holes.get(stream)
      return hole === undefined || revision < hole.revision
    })
  }

  /** Writes the new ones, in the transaction that is open. */
  write(database: DatabaseSync): void {
    if (this.#new.size === 0) return
    const insert = database.prepare('INSERT OR REPLACE INTO set_aside VALUES (?, ?, ?)')
    for (const stream of this.#new) {
      const { revision, cause } = this.#holes.get(stream) as ViewHole
      insert.run(stream, revision, cause)
    }
  }

  /** What was written is committed. */
  committed(): void {
    this.#new.clear()
  }

  /** The transaction was rolled back: the new ones will be found again. */
  rolledBack(): void {
    for (const stream of this.#new) this.#holes.delete(stream)
    this.#new.clear()
  }
}
