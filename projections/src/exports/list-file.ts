/**
 * A list as a file: what it is of, its rows, and at the end how many they were, what they come to
 * and their SHA-256. The hash is of the rows as lines of JSON, in every format.
 */
import { createHash } from 'node:crypto'
import { csvLine, csvText } from '@svc/contracts/csv'
import { jsonText } from '@svc/contracts/json-text'
import { formatExact, parseDollars } from '@svc/contracts/money'

export interface ListHead {
  /** The schema of the rows, with a version, such as `svc.requests_export/1`. */
  readonly schema: string
  readonly account_id: string
  readonly currency: 'USD'
  readonly zone: string
  /** The period in RFC 3339. Undefined: since ever, until now. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** The other fields of the question. */
  readonly filter: Readonly<Record<string, string>>
  /** Every event of the account up to here in the log is in it. */
  readonly position: string
}

interface ListEnd {
  readonly rows: number
  /** The exact dollars of all rows. */
  readonly amount: string
  readonly sha256: string
}

/** A row of any list that has an amount in exact dollars. */
interface Priced {
  readonly amount: string
}

export type ListColumn<Row> = readonly [title: string, cell: (row: Row) => string]

export type ListFormat = 'csv' | 'jsonl'

export interface List<Row extends Priced> {
  readonly head: ListHead
  readonly columns: readonly ListColumn<Row>[]
  readonly pages: AsyncIterable<readonly Row[]>
}

/** The text of the file in pieces: any length needs the memory of one page. */
export async function* listText<Row extends Priced>(
  { head, columns, pages }: List<Row>,
  format: ListFormat,
): AsyncGenerator<string> {
  const writer = format === 'csv' ? csvOf(columns) : jsonLines
  const digest = createHash('sha256')
  let rows = 0
  let amount = 0n
  yield writer.head(head)
  for await (const page of pages) {
    const lines = page.map((row) => `${jsonText(row)}\n`)
    for (const line of lines) digest.update(line)
    rows += page.length
    amount += page.reduce((sum, row) => sum + parseDollars(row.amount), 0n)
    yield page.map((row, index) => writer.row(row, lines[index] ?? '')).join('')
  }
  yield writer.end({ rows, amount: formatExact(amount), sha256: digest.digest('hex') })
}

interface ListWriter<Row> {
  head(head: ListHead): string
  /** @param line the row as a line of JSON */
  row(row: Row, line: string): string
  end(end: ListEnd): string
}

const jsonLines: ListWriter<unknown> = {
  head: (head) => `${jsonText({ type: 'head', ...head })}\n`,
  row: (_, line) => line,
  end: (end) => `${jsonText({ type: 'end', ...end })}\n`,
}

/** The sums stand in a note: a spreadsheet that adds a column up adds the rows and nothing else. */
function csvOf<Row>(columns: readonly ListColumn<Row>[]): ListWriter<Row> {
  const between = columns.map(() => '')
  const noted = (record: string, note: string) => csvLine([record, ...between, csvText(note)])
  return {
    head: (head) =>
      csvLine(['record', ...columns.map(([title]) => title), 'note']) +
      noted('head', wordsOf({ ...head, ...head.filter })),
    row: (row) => csvLine(['row', ...columns.map(([, cell]) => cell(row)), '']),
    end: (end) => noted('end', wordsOf({ ...end })),
  }
}

/** Names and values, such as `rows 3 amount 0.05`. */
function wordsOf(facts: Readonly<Record<string, unknown>>): string {
  return Object.entries(facts)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => `${name} ${value}`)
    .join(' ')
}
