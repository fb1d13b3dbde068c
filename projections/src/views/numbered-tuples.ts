/**
 * Numbers for combinations of words that come again and again, such as a key with a model: a row
 * then carries a small number instead of a hundred characters. Numbers are given in the order of
 * the log, so that the same log gives the same numbers.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Kept in memory, so that the table is asked once for each in most lives: about 10 MB. */
const TUPLES_KEPT = 50_000
/** Is in no id and in no name of a model. */
const SEPARATOR = '\n'

export class NumberedTuples {
  readonly #find: StatementSync
  readonly #selectLast: StatementSync
  readonly #insert: StatementSync
  readonly #numbers = new Map<string, number>()
  readonly #waiting: (readonly [number: number, words: readonly string[]])[] = []
  #last: number | undefined

  /** @param columns of the table, behind the first one, which is the number */
  constructor(database: DatabaseSync, table: string, columns: readonly string[]) {
    const conditions = columns.map((column) => `${column} = ?`).join(' AND ')
    this.#find = database.prepare(`SELECT number FROM ${table} WHERE ${conditions}`)
    this.#selectLast = database.prepare(`SELECT coalesce(max(number), 0) AS last FROM ${table}`)
    const values = columns.map(() => ',?').join('')
    this.#insert = database.prepare(`INSERT INTO ${table} VALUES (?${values})`)
  }

  /** The number of the words, a new one when they were never seen together. */
  numberOf(...words: readonly string[]): number {
    const name = words.join(SEPARATOR)
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const number = this.#stored(words) ?? this.#added(words)
    this.#numbers.set(name, number)
    return number
  }

  flush(): void {
    for (const [number, words] of this.#waiting) this.#insert.run(number, ...words)
    this.#waiting.length = 0
    if (this.#numbers.size > TUPLES_KEPT) this.#numbers.clear()
  }

  clear(): void {
    this.#numbers.clear()
    this.#waiting.length = 0
    this.#last = undefined
  }

  #stored(words: readonly string[]): number | undefined {
    return (this.#find.get(...words) as { number: number } | undefined)?.number
  }

  #added(words: readonly string[]): number {
    this.#last ??= (this.#selectLast.get() as { last: number }).last
    this.#last += 1
    this.#waiting.push([this.#last, words])
    return this.#last
  }
}
