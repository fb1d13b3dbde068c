/**
 * What ended requests came to, by what became of them and by when they came in.
 *
 * Requests end in another order than they come in. Most end in the quarter of an hour in which they
 * came, and change the last row of their list alone; one that ends when a later row is there
 * already is added to every row from its own quarter on. These are few: as many as quarters passed
 * while it ran.
 */
import type { DatabaseSync } from 'node:sqlite'
import { idTimeMs } from '@svc/contracts/ids'
import { QUARTER_MS } from '@svc/contracts/zone'
import { type Select, select } from '../../projection/select.ts'
import { type EndedRequest, endedStatuses } from './project.ts'
import { statusNumber } from './tables.ts'
import { Totals, type TotalsTable } from './totals.ts'
import { addUsed, columnsOf, nothingUsed, readUsed, type StoredUsed, type Used } from './used.ts'

/** How many busy lists stay in memory: about 5 MB. */
const LISTS_KEPT = 10_000

interface EndedTotal extends Used {
  readonly list: number
  /** The number of the quarter since 1970; 0 before the first request. */
  quarter: number
}

interface StoredEndedTotal extends StoredUsed {
  readonly list: number
  readonly quarter: number
}

/** A request of a list that has a later row. */
interface Late {
  readonly list: number
  readonly quarter: number
  /** The rows from this quarter on have it already. */
  readonly before: number
  readonly used: Used
}

/** The number of a list of requests. */
export function listOf(series: number, status: EndedRequest['status']): number {
  return series * endedStatuses.length + statusNumber(status)
}

export class EndedTotals {
  readonly #totals: Totals<number, EndedTotal>
  readonly #table: TotalsTable<number, EndedTotal>
  readonly #upTo: Select<StoredEndedTotal>
  readonly #between: Select<StoredEndedTotal>
  readonly #late: Late[] = []

  constructor(database: DatabaseSync) {
    this.#table = endedTotalsTable(database)
    this.#totals = new Totals(this.#table, LISTS_KEPT)
    this.#upTo = select(
      database,
      'SELECT * FROM ended_totals WHERE list = ? AND quarter <= ? ORDER BY quarter DESC LIMIT 1',
    )
    this.#between = select(
      database,
      'SELECT * FROM ended_totals WHERE list = ? AND quarter > ? AND quarter < ?',
    )
  }

  /** @param used nothing but the request itself where it was not charged */
  add({ series, status, requestId }: EndedRequest, used: Used): void {
    const list = listOf(series, status)
    const quarter = Math.floor(idTimeMs(requestId) / QUARTER_MS)
    const before = this.#totals.lastQuarter(list)
    const isLate = quarter < before
    if (isLate) this.#late.push({ list, quarter, before, used })
    addUsed(isLate ? this.#totals.change(list) : this.#totals.changeIn(list, quarter), used)
  }

  /** Writes what changed, a row in each step. */
  *flush(): Generator<undefined> {
    yield* this.#totals.flush()
    // Late ends come behind the rows that they belong into.
    for (const late of this.#late) yield* this.#addLate(late)
    this.#late.length = 0
  }

  /** Forgets all: what is here came from a fold or a flush that failed. */
  clear(): void {
    this.#totals.clear()
    this.#late.length = 0
  }

  *#addLate({ list, quarter, before, used }: Late): Generator<undefined> {
    const stored = this.#upTo.get(list, quarter)
    const own = stored === undefined ? this.#table.empty(list) : readEndedTotal(stored)
    const behind = this.#between.all(list, quarter, before)
    for (const total of [{ ...own, quarter }, ...behind.map(readEndedTotal)]) {
      addUsed(total, used)
      this.#table.put(total)
      yield
    }
  }
}

function endedTotalsTable(database: DatabaseSync): TotalsTable<number, EndedTotal> {
  const last = select<StoredEndedTotal>(
    database,
    'SELECT * FROM ended_totals WHERE list = ? ORDER BY quarter DESC LIMIT 1',
  )
  const put = database.prepare('INSERT OR REPLACE INTO ended_totals VALUES (?,?,?,?,?,?,?,?,?)')
  return {
    load(list) {
      const row = last.get(list)
      return row === undefined ? undefined : readEndedTotal(row)
    },
    empty: (list) => ({ list, quarter: 0, ...nothingUsed() }),
    put: (total) => void put.get(total.list, total.quarter, ...columnsOf(total)),
  }
}

function readEndedTotal(row: StoredEndedTotal): EndedTotal {
  return { list: row.list, quarter: row.quarter, ...readUsed(row) }
}
