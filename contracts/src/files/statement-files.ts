/** A statement as files: for spreadsheets, for programs, to print. opening + rows = closing. */
import { parseDollars } from '../money.ts'
import type { StatementEntry } from '../wire/statement.ts'
import { csvLine, csvText } from './csv.ts'
import { jsonText } from './json-text.ts'
import { htmlWriter } from './statement-html.ts'
import type { StatementWriter } from './statement-writer.ts'

const CSV_COLUMNS = [
  'entry',
  'time',
  'type',
  'reference',
  'description',
  'debit_usd',
  'credit_usd',
  'balance_usd',
  'debit_pico_usd',
  'credit_pico_usd',
  'balance_pico_usd',
  'event_stream',
  'event_revision',
  'event_hash',
  'payment_reference',
  'key_id',
  'key_name',
  'model',
  'format',
  'input_tokens',
  'cached_input_tokens',
  'output_tokens',
  'price_version',
  'paid_usd',
  'promotional_usd',
  'unpaid_usd',
  'actor',
  'reason',
] as const
type CsvCells = Partial<Record<(typeof CSV_COLUMNS)[number], string>>

/**
 * The first and the last line are the opening and the closing balance; what is known of the whole
 * stands in their descriptions.
 */
const csv: StatementWriter = {
  opening: (head) =>
    csvLine(CSV_COLUMNS) +
    csvBalance('opening', head.from, head.opening, `zone ${head.zone} position ${head.position}`),
  rows: (rows) => rows.map(csvRow).join(''),
  closing: (head) => csvBalance('closing', head.to, head.closing, `sha256 ${head.sha256}`),
}

function csvBalance(type: string, time = '', balance: string, description: string): string {
  return csvCells({
    type,
    time,
    description,
    balance_usd: balance,
    balance_pico_usd: `${parseDollars(balance)}`,
  })
}

function csvRow(row: StatementEntry): string {
  return csvCells({
    entry: `${row.entry}`,
    time: row.at,
    type: row.type,
    reference: csvText(row.reference),
    description: csvText(row.description),
    debit_usd: row.debit,
    credit_usd: row.credit,
    balance_usd: row.balance,
    debit_pico_usd: `${parseDollars(row.debit)}`,
    credit_pico_usd: `${parseDollars(row.credit)}`,
    balance_pico_usd: `${parseDollars(row.balance)}`,
    event_stream: csvText(row.event.stream),
    event_revision: `${row.event.revision}`,
    event_hash: row.event.hash,
    payment_reference: csvText(row.payment_reference ?? ''),
    key_id: csvText(row.key?.id ?? ''),
    key_name: csvText(row.key?.name ?? ''),
    model: csvText(row.model ?? ''),
    format: row.format ?? '',
    input_tokens: `${row.tokens?.input ?? ''}`,
    cached_input_tokens: `${row.tokens?.cached_input ?? ''}`,
    output_tokens: `${row.tokens?.output ?? ''}`,
    price_version: csvText(row.price_version ?? ''),
    paid_usd: row.paid,
    promotional_usd: row.promotional,
    unpaid_usd: row.unpaid,
    actor: csvText(row.actor ?? ''),
    reason: csvText(row.reason ?? ''),
  })
}

function csvCells(cells: CsvCells): string {
  return csvLine(CSV_COLUMNS.map((column) => cells[column] ?? ''))
}

const jsonl: StatementWriter = {
  opening: (head) => `${jsonText({ type: 'opening', schema: 'svc.statement/2', ...head })}\n`,
  rows: (rows) => rows.map(rowLine).join(''),
  closing: ({ closing, rows }) => `${jsonText({ type: 'closing', closing, rows })}\n`,
}

/** A row as it is hashed, and as a line of JSON. */
export function rowLine(row: StatementEntry): string {
  return `${jsonText(row)}\n`
}

/** Every file has all columns. */
export const statementFiles = { csv, jsonl, html: htmlWriter } as const satisfies Record<
  string,
  StatementWriter
>
