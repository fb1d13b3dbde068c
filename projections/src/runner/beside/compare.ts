/** Walks two builds of a view side by side, and tells the rows in which they differ. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { inSteps, type Pace } from '@svc/contracts/ports/pace'
import type { Projection, TableDescription } from '../../projection/projection.ts'
import { selectArrays } from '../../projection/select.ts'

type Row = readonly SQLOutputValue[]
type Columns = Readonly<Record<string, string | number | null>>

/** How many rows one step compares, in about a millisecond. */
const ROWS_PER_STEP = 500
/** Rows that are told of each view: enough to see what is wrong. All of them are counted. */
const ROWS_TOLD_MAX = 100

export interface RowDifference {
  readonly table: string
  readonly key: Columns
  /** The live columns that differ; null where the live view lacks the row. */
  readonly live: Columns | null
  /** The same columns of the row that was made anew from the log; null where it lacks the row. */
  readonly replayed: Columns | null
}

export interface Differences {
  readonly count: number
  /** The first differences, in the order of tables and keys. */
  readonly first: readonly RowDifference[]
}

/** @throws when the signal aborts */
export async function findDifferences(
  { tables }: Projection,
  live: DatabaseSync,
  replayed: DatabaseSync,
  { pace, signal }: { readonly pace: Pace; readonly signal: AbortSignal },
): Promise<Differences> {
  let count = 0
  const first: RowDifference[] = []
  for (const table of tables) {
    const take = (pair: Pair | undefined): void => {
      if (pair === undefined) return
      count += 1
      if (first.length < ROWS_TOLD_MAX) first.push(told(table, pair, columnsOf(live, table)))
    }
    await inSteps(pace, compareTable(table, live, replayed), ROWS_PER_STEP, take, signal)
  }
  return { count, first }
}

/** The rows of one key, which are not the same. */
interface Pair {
  readonly live: Row | undefined
  readonly replayed: Row | undefined
}

/** Yields for every key the rows that differ, or undefined for two that are the same. */
function* compareTable(
  table: TableDescription,
  left: DatabaseSync,
  right: DatabaseSync,
): Generator<Pair | undefined> {
  const leftRows = rowsOf(left, table)
  const rightRows = rowsOf(right, table)
  let live = next(leftRows)
  let replayed = next(rightRows)
  while (live !== undefined || replayed !== undefined) {
    const order = compareKeys(live, replayed, table.key.length)
    if (order < 0) yield { live, replayed: undefined }
    else if (order > 0) yield { live: undefined, replayed }
    else yield equalRows(live, replayed) ? undefined : { live, replayed }
    if (order <= 0) live = next(leftRows)
    if (order >= 0) replayed = next(rightRows)
  }
}

/** Reads the rows in the order of the key: key columns first, then all columns. */
function rowsOf(database: DatabaseSync, { name, key }: TableDescription): Iterator<Row> {
  const columns = key.join(', ')
  const sql = `SELECT ${columns}, * FROM ${name} ORDER BY ${columns}`
  return selectArrays<Row>(database, sql).iterate()
}

/** Names the columns in the order in which {@link rowsOf} has them. */
function columnsOf(database: DatabaseSync, { name, key }: TableDescription): readonly string[] {
  const columns = database.prepare(`SELECT * FROM ${name}`).columns()
  return [...key, ...columns.map((column) => column.name)]
}

function next(rows: Iterator<Row>): Row | undefined {
  const { done, value } = rows.next()
  return done === true ? undefined : value
}

/** Compares keys: below zero when the left one comes first. A side at its end comes last. */
function compareKeys(left: Row | undefined, right: Row | undefined, keyLength: number): number {
  if (left === undefined) return 1
  if (right === undefined) return -1
  for (let column = 0; column < keyLength; column += 1) {
    const a = left[column] ?? ''
    const b = right[column] ?? ''
    if (a !== b) return a < b ? -1 : 1
  }
  return 0
}

function equalRows(left: Row | undefined, right: Row | undefined): boolean {
  return (
    left?.length === right?.length && left?.every((value, i) => isSame(value, right?.[i])) === true
  )
}

function isSame(left: SQLOutputValue | undefined, right: SQLOutputValue | undefined): boolean {
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    return Buffer.compare(left, right) === 0
  }
  return left === right
}

function told(
  { name, key }: TableDescription,
  { live, replayed }: Pair,
  columns: readonly string[],
): RowDifference {
  const either = live ?? replayed ?? []
  const places = columns.map((_, i) => i).slice(key.length)
  const differing = places.filter((i) => !isSame(live?.[i], replayed?.[i]))
  const shown = (row: Row | undefined, of: readonly number[]): Columns | null =>
    row === undefined ? null : Object.fromEntries(of.map((i) => [columns[i], shownValue(row[i])]))
  return {
    table: name,
    key: shown(either, [...key.keys()]) ?? {},
    live: shown(live, differing),
    replayed: shown(replayed, differing),
  }
}

function shownValue(value: SQLOutputValue | undefined): string | number | null {
  if (value === undefined || value === null || typeof value === 'number') return value ?? null
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return typeof value === 'string' ? value : `${value}`
}
