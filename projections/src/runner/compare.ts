/** Walks two builds of a view side by side and counts the rows in which they differ. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { inSteps, type Pace } from '@svc/contracts/ports/pace'
import type { Projection, TableDescription } from '../projection/projection.ts'

type Row = readonly SQLOutputValue[]

/** About a millisecond. */
const ROWS_PER_STEP = 500

/** @throws when the signal aborts */
export async function countDifferences(
  { tables }: Projection,
  left: DatabaseSync,
  right: DatabaseSync,
  { pace, signal }: { readonly pace: Pace; readonly signal: AbortSignal },
): Promise<number> {
  let differences = 0
  for (const table of tables) {
    const count = (isSame: boolean): void => {
      if (!isSame) differences += 1
    }
    await inSteps(pace, compareTable(table, left, right), ROWS_PER_STEP, count, signal)
  }
  return differences
}

/** Yields for every key whether both sides have the same row. */
function* compareTable(
  table: TableDescription,
  left: DatabaseSync,
  right: DatabaseSync,
): Generator<boolean> {
  const leftRows = rowsOf(left, table)
  const rightRows = rowsOf(right, table)
  let leftRow = next(leftRows)
  let rightRow = next(rightRows)
  while (leftRow !== undefined || rightRow !== undefined) {
    const order = compareKeys(leftRow, rightRow, table.key.length)
    yield order === 0 && equalRows(leftRow, rightRow)
    if (order <= 0) leftRow = next(leftRows)
    if (order >= 0) rightRow = next(rightRows)
  }
}

/** Key columns first, then all columns, in the order of the key. */
function rowsOf(database: DatabaseSync, { name, key }: TableDescription): Iterator<Row> {
  const columns = key.join(', ')
  const select = database.prepare(`SELECT ${columns}, * FROM ${name} ORDER BY ${columns}`)
  select.setReturnArrays(true)
  return select.iterate() as unknown as Iterator<Row>
}

function next(rows: Iterator<Row>): Row | undefined {
  const { done, value } = rows.next()
  return done === true ? undefined : value
}

/** Below zero when the left key comes first; a side at its end comes last. */
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

function isSame(left: SQLOutputValue, right: SQLOutputValue | undefined): boolean {
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    return Buffer.compare(left, right) === 0
  }
  return left === right
}
