import type { DatabaseSync } from 'node:sqlite'
import { select } from '../projection/select.ts'

/**
 * Rows of a table in memory: read from it at most once, changed here, written once per commit.
 *
 * A request that begins and ends between two commits costs one insert instead of an insert and two
 * updates, a row that comes and goes between them costs nothing, and a busy account is neither read
 * nor written for every event. The view has one writer, so what is here is true.
 */
export interface RowTable<Row> {
  load(key: string): Row | undefined
  /** Fails when the table has the row already. */
  insert(row: Row): void
  update(row: Row): void
  remove(key: string): void
}

interface KeyedTable<Stored, Row> {
  /** Names of ours, and never a caller's: they become a part of the statement. */
  readonly table: string
  readonly key: string
  readonly columns?: string
  readonly read: (stored: Stored, key: string) => Row
}

/**
 * Prepares statements that find and remove rows by their key.
 *
 * Here and in all tables of views, what writes is called with `get` too: `run` makes an object of
 * each result, which costs a tenth of the row.
 */
export function rowsByKey<Stored, Row>(
  database: DatabaseSync,
  { table, key, columns = '*', read }: KeyedTable<Stored, Row>,
): Pick<RowTable<Row>, 'load' | 'remove'> {
  const one = select<Stored>(database, `SELECT ${columns} FROM ${table} WHERE ${key} = ?`)
  const remove = database.prepare(`DELETE FROM ${table} WHERE ${key} = ?`)
  return {
    load(of) {
      const stored = one.get(of)
      return stored === undefined ? undefined : read(stored, of)
    },
    remove: (of) => void remove.get(of),
  }
}

interface Touched<Row> {
  row: Row | undefined
  stored: boolean
  changed: boolean
}

export class TouchedRows<Row> {
  readonly #table: RowTable<Row>
  readonly #rowsKept: number
  readonly #rows = new Map<string, Touched<Row>>()

  /** @param rowsKept how many rows may stay in memory between commits */
  constructor(table: RowTable<Row>, rowsKept: number) {
    this.#table = table
    this.#rowsKept = rowsKept
  }

  /** The row for reading, or `undefined` when there is none. */
  find(key: string): Row | undefined {
    return this.#touch(key).row
  }

  /** The row for changing: it is written at the next flush. @throws when there is none */
  change(key: string): Row {
    const touched = this.#touch(key)
    if (touched.row === undefined) throw new Error(`the view has no row for ${key}`)
    touched.changed = true
    return touched.row
  }

  /** Adds a row without looking into the table first: the insert is what finds a second one. */
  add(key: string, row: Row): void {
    const touched = this.#rows.get(key)
    if (touched?.row !== undefined) throw new Error(`the view has a row for ${key} already`)
    this.#rows.set(key, { row, stored: touched?.stored ?? false, changed: true })
  }

  /** @returns the row that was there, or `undefined` */
  remove(key: string): Row | undefined {
    const touched = this.#touch(key)
    const { row } = touched
    if (row === undefined) return undefined
    if (touched.stored) {
      touched.row = undefined
      touched.changed = true
    } else {
      this.#rows.delete(key)
    }
    return row
  }

  /** Writes what changed, a row in each step. */
  *flush(): Generator<undefined> {
    for (const [key, touched] of this.#rows) {
      if (!touched.changed) continue
      this.#write(key, touched)
      yield
    }
    if (this.#rows.size > this.#rowsKept) this.#rows.clear()
  }

  /** Forgets all: what is here came from a fold or a flush that failed. */
  clear(): void {
    this.#rows.clear()
  }

  #write(key: string, touched: Touched<Row>): void {
    const { row, stored } = touched
    if (row !== undefined) {
      if (stored) this.#table.update(row)
      else this.#table.insert(row)
    } else if (stored) this.#table.remove(key)
    touched.changed = false
    touched.stored = row !== undefined
  }

  #touch(key: string): Touched<Row> {
    const known = this.#rows.get(key)
    if (known !== undefined) return known
    const row = this.#table.load(key)
    const touched = { row, stored: row !== undefined, changed: false }
    this.#rows.set(key, touched)
    return touched
  }
}
