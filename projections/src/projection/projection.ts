/**
 * What a view is made of: a name, a version, its tables, and one handler for every event.
 *
 * A change of a table or of what a handler does is a new version: the runner then finds no file of
 * that version and builds one from the log.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import type { DecodedEvent } from './decode.ts'

export interface TableDescription {
  readonly name: string
  /** The primary key, in its order: how two builds of the view are walked side by side. */
  readonly key: readonly string[]
}

export interface Projection {
  readonly name: string
  readonly version: number
  /** The `CREATE TABLE …` statements. */
  readonly schema: string
  readonly tables: readonly TableDescription[]
  /** Prepares the handler on an open database that has the schema. */
  projector(database: DatabaseSync): Projector
}

export interface Projector {
  /**
   * Folds events into rows in memory. Reads nothing but the events and the tables, so that the same
   * log always gives the same rows.
   *
   * @param recorded all of them as they are in the log, also those of streams that are set aside
   */
  fold(events: readonly DecodedEvent[], recorded: readonly RecordedEvent[]): void
  /**
   * Writes rows that will hardly change again and forgets them, so that memory stays small until
   * the commit. As with {@link flush}, inside a transaction that the caller opened.
   */
  writePassing(): void
  /** Writes all rows that changed, one in each step of the walk. */
  flush(): Iterable<unknown>
  /** Forgets what it keeps in memory, after a fold or a flush that failed. */
  forget(): void
}
