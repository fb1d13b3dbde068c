/**
 * Prepared SELECTs whose rows have a type. The driver gives every row as a record of any values:
 * what a statement selects is said once, where its columns are.
 */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'

type Given = readonly SQLInputValue[] | readonly [named: Record<string, SQLInputValue>]

export interface Select<Row> {
  /** @returns the first row, or undefined without any */
  get(...given: Given): Row | undefined
  all(...given: Given): readonly Row[]
  iterate(...given: Given): IterableIterator<Row>
}

/** An aggregate without groups: it has one row, whatever it is about. */
export interface SelectOne<Row> {
  get(...given: Given): Row
}

/** Rows are objects with the names of the columns. */
export function select<Row>(database: DatabaseSync, sql: string): Select<Row> {
  return database.prepare(sql) as unknown as Select<Row>
}

/** Prepares a statement like {@link select}, for an aggregate without groups. */
export function selectOne<Row>(database: DatabaseSync, sql: string): SelectOne<Row> {
  return database.prepare(sql) as unknown as SelectOne<Row>
}

/**
 * Prepares a statement like {@link select}, for many rows: as arrays of their columns they take
 * half the time.
 */
export function selectArrays<Row extends readonly unknown[]>(
  database: DatabaseSync,
  sql: string,
): Select<Row> {
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  return statement as unknown as Select<Row>
}
