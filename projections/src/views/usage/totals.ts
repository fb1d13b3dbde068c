/**
 * Totals that grow with time: of each series the last row, in memory, and the rows that it leaves
 * behind whenever a quarter is over, until the next flush.
 */

/** Tells how a kind of total is kept in its table. */
export interface TotalsTable<Key, Total> {
  /** Loads the last row of the series; `undefined` before the first. */
  load(key: Key): Total | undefined
  /** Makes the total of a series that has no row: all zero, in quarter 0. */
  empty(key: Key): Total
  /** Inserts the row, or replaces the one of the same series and quarter. */
  put(total: Total): void
}

interface Kept<Total> {
  total: Total
  changed: boolean
}

export class Totals<Key, Total extends { quarter: number }> {
  readonly #table: TotalsTable<Key, Total>
  readonly #kept: number
  readonly #last = new Map<Key, Kept<Total>>()
  readonly #left: Total[] = []

  /** @param kept how many series may stay in memory between commits */
  constructor(table: TotalsTable<Key, Total>, kept: number) {
    this.#table = table
    this.#kept = kept
  }

  /** The quarter of the last row; 0 before the first. */
  lastQuarter(key: Key): number {
    return this.#keptOf(key).total.quarter
  }

  /** Gives the last row for changing, in whatever quarter it is. */
  change(key: Key): Total {
    const kept = this.#keptOf(key)
    kept.changed = true
    return kept.total
  }

  /** The row of a quarter for changing: a new one begins with the totals of the last. */
  changeIn(key: Key, quarter: number): Total {
    const kept = this.#keptOf(key)
    if (kept.total.quarter !== quarter) {
      if (kept.changed) this.#left.push(kept.total)
      kept.total = { ...kept.total, quarter }
    }
    kept.changed = true
    return kept.total
  }

  /** Writes what changed, a row in each step. */
  *flush(): Generator<undefined> {
    for (const total of this.#left) {
      this.#table.put(total)
      yield
    }
    this.#left.length = 0
    for (const kept of this.#last.values()) {
      if (!kept.changed) continue
      this.#table.put(kept.total)
      kept.changed = false
      yield
    }
    if (this.#last.size > this.#kept) this.#last.clear()
  }

  /** Forgets all: what is here came from a fold or a flush that failed. */
  clear(): void {
    this.#last.clear()
    this.#left.length = 0
  }

  #keptOf(key: Key): Kept<Total> {
    const known = this.#last.get(key)
    if (known !== undefined) return known
    const kept = { total: this.#table.load(key) ?? this.#table.empty(key), changed: false }
    this.#last.set(key, kept)
    return kept
  }
}
