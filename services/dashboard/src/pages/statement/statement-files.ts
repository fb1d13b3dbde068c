/** A statement as files for a spreadsheet and for programs; every one has all columns. */
import { csvLine, csvText } from '@svc/contracts/csv'
import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { parseDollars } from '@svc/contracts/money'

type Page = DashboardOutput<'accountStatement'>
type Entry = Page['data'][number]

/** Rows of one file. Behind that the command line writes it: a browser holds it in memory. */
export const EXPORT_ROWS_MAX = 100_000

export interface StatementFile {
  readonly name: 'csv' | 'jsonl'
  readonly contentType: string
  readonly write: (statement: WholeStatement) => string
}

export interface WholeStatement {
  readonly opening: string
  readonly closing: string
  readonly entries: readonly Entry[]
}

/** @throws {RangeError} when it has more than {@link EXPORT_ROWS_MAX} rows */
export async function wholeStatement(pages: AsyncIterable<Page>): Promise<WholeStatement> {
  let opening: string | undefined
  let closing = '0.00'
  const entries: Entry[] = []
  for await (const page of pages) {
    opening ??= page.opening
    closing = page.closing
    entries.push(...page.data)
    if (entries.length > EXPORT_ROWS_MAX) throw new RangeError('too many rows')
  }
  return { opening: opening ?? closing, closing, entries }
}

const columns: readonly (readonly [title: string, cell: (entry: Entry) => string])[] = [
  ['entry', ({ entry }) => `${entry}`],
  ['time', ({ at }) => at],
  ['type', ({ type }) => type],
  ['reference', ({ reference }) => csvText(reference)],
  ['description', ({ description }) => csvText(description)],
  ['debit_usd', ({ debit }) => debit],
  ['credit_usd', ({ credit }) => credit],
  ['balance_usd', ({ balance }) => balance],
  ['debit_pico_usd', ({ debit }) => `${parseDollars(debit)}`],
  ['credit_pico_usd', ({ credit }) => `${parseDollars(credit)}`],
  ['balance_pico_usd', ({ balance }) => `${parseDollars(balance)}`],
  ['payment_reference', (entry) => csvText(entry.payment_reference ?? '')],
  ['key_id', ({ key }) => csvText(key?.id ?? '')],
  ['key_name', ({ key }) => csvText(key?.name ?? '')],
  ['model', ({ model }) => csvText(model ?? '')],
  ['format', ({ format }) => format ?? ''],
  ['input_tokens', ({ tokens }) => `${tokens?.input ?? ''}`],
  ['cached_input_tokens', ({ tokens }) => `${tokens?.cached_input ?? ''}`],
  ['output_tokens', ({ tokens }) => `${tokens?.output ?? ''}`],
  ['price_version', (entry) => csvText(entry.price_version ?? '')],
  ['reason', ({ reason }) => csvText(reason ?? '')],
  ['event_stream', ({ event }) => csvText(event.stream)],
  ['event_revision', ({ event }) => `${event.revision}`],
  ['event_hash', ({ event }) => event.hash],
]

/** The first and the last line are the opening and the closing balance. */
function csvOf({ opening, closing, entries }: WholeStatement): string {
  const titles = columns.map(([title]) => title)
  const balanceLine = (type: string, balance: string) =>
    csvLine(
      titles.map((title) => {
        if (title === 'type') return type
        if (title === 'balance_usd') return balance
        return title === 'balance_pico_usd' ? `${parseDollars(balance)}` : ''
      }),
    )
  return [
    csvLine(titles),
    balanceLine('opening', opening),
    ...entries.map((entry) => csvLine(columns.map(([, cell]) => cell(entry)))),
    balanceLine('closing', closing),
  ].join('')
}

function jsonLinesOf({ opening, closing, entries }: WholeStatement): string {
  const lines = [
    { type: 'opening', opening },
    ...entries,
    { type: 'closing', closing, rows: entries.length },
  ]
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

export const statementFiles: readonly StatementFile[] = [
  { name: 'csv', contentType: 'text/csv', write: csvOf },
  { name: 'jsonl', contentType: 'application/jsonl', write: jsonLinesOf },
]
