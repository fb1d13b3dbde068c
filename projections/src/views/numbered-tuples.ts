/**
 * Numbers for combinations of words that come again and again, such as a key with a model: a row
 * then carries a small number instead of a hundred characters. Numbers are given in the order of
 * the log, so that the same log gives the same numbers.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type Select, type SelectOne, select, selectOne } from '../projection/select.ts'

/**
 * How many tuples are kept in memory, so that the table is asked once for each in most lives: about
 * 20 MB.
 */
const TUPLES_KEPT = 50_000

/**
 * Leads from the last word, which many tuples share, over the others to the number at the first.
 * Joined into one text the words would be copied for every event.
 */
interface Branch extends Map<string, Branch | number> {}

export class NumberedTuples {
  readonly #find: Select<{ number: number }>
  readonly #selectLast: SelectOne<{ last: number }>
  readonly #insert: StatementSync
  readonly #numbers: Branch = new Map()
  #known = 0
  readonly #waiting: (readonly [number: number, words: readonly string[]])[] = []
  #last: number | undefined

  /** @param columns of the table, behind the first one, which is the number */
  constructor(database: DatabaseSync, table: string, columns: readonly string[]) {
    const conditions = columns.map((column) => `${column} = ?`).join(' AND ')
    this.#find = select(database, `SELECT number FROM ${table} WHERE ${conditions}`)
    this.#selectLast = selectOne(database, `SELECT coalesce(max(number), 0) AS last FROM ${table}`)
    const values = columns.map(() => ',?').join('')
    this.#insert = database.prepare(`INSERT INTO ${table} VALUES (?${values})`)
  }

  /** The number of the words, a new one when they were never seen together. */
  numberOf(...words: readonly string[]): number {
    const [first = '', ...rest] = words
    let branch = this.#numbers
    for (let index = rest.length - 1; index >= 0; index -= 1) {
      branch = branchOf(branch, rest[index] ?? '')
    }
    const known = branch.get(first)
    if (typeof known === 'number') return known
    const number = this.#stored(words) ?? this.#added(words)
    branch.set(first, number)
    this.#known += 1
    return number
  }

  *flush(): Generator<undefined> {
    for (const [number, words] of this.#waiting) {
      this.#insert.get(number, ...words)
      yield
    }
    this.#waiting.length = 0
    if (this.#known > TUPLES_KEPT) this.#forgetNumbers()
  }

  clear(): void {
    this.#forgetNumbers()
    this.#waiting.length = 0
    this.#last = undefined
  }

  #forgetNumbers(): void {
    this.#numbers.clear()
    this.#known = 0
  }

  #stored(words: readonly string[]): number | undefined {
    return this.#find.get(...words)?.number
  }

  #added(words: readonly string[]): number {
    this.#last ??= this.#selectLast.get().last
    this.#last += 1
    this.#waiting.push([this.#last, words])
    return this.#last
  }
}

function branchOf(from: Branch, word: string): Branch {
  const known = from.get(word)
  if (known instanceof Map) return known
  const branch: Branch = new Map()
  from.set(word, branch)
  return branch
}
