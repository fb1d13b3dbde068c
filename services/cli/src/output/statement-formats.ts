/** A statement as a table, CSV, JSON or lines of JSON: opening + rows = closing in every one. */

import { csvLine } from '@svc/contracts/csv'
import { parseDollars } from '@svc/contracts/money'
import type { StatementEntry } from '@svc/contracts/wire/statement'
import { jsonText } from '../context/json-text.ts'
import { csvText } from './csv.ts'
import { htmlWriter } from './statement-html.ts'
import { periodText, type StatementWriter } from './statement-writer.ts'
import { type Column, Table } from './table.ts'

export const statementColumns: readonly Column<StatementEntry>[] = [
  { title: 'ENTRY', align: 'right', text: (row) => `${row.entry}` },
  { title: 'TIME', text: (row) => row.at },
  { title: 'TYPE', leftOut: 3, text: (row) => row.type },
  { title: 'DEBIT', align: 'decimal', text: (row) => shown(row.debit) },
  { title: 'CREDIT', align: 'decimal', text: (row) => shown(row.credit) },
  { title: 'BALANCE', align: 'decimal', text: (row) => row.balance },
  { title: 'REFERENCE', leftOut: 2, text: (row) => row.reference },
  { title: 'DESCRIPTION', cutTo: 20, leftOut: 1, text: described },
]

function described({ description, payment_reference: paymentReference }: StatementEntry): string {
  return paymentReference === null ? description : `${description} (ref ${paymentReference})`
}

/** No movement on that side. */
function shown(amount: string): string {
  return parseDollars(amount) === 0n ? '' : amount
}

function tableWriter(widthMax?: number): StatementWriter {
  const table = new Table(statementColumns, widthMax)
  return {
    opening: (head) =>
      `Statement of ${head.account_id}, USD, ${periodText(head)}\n` +
      `Zone ${head.zone}, ledger position ${head.position}, SHA-256 of the rows:\n${head.sha256}\n` +
      `Opening balance  ${head.opening}\n\n`,
    rows: (rows, first) => (first ? table.header(rows) : '') + table.rows(rows),
    closing: ({ closing, rows }) => `\nClosing balance  ${closing}  (all ${rows} rows)\n`,
    get leftOut() {
      return table.leftOut
    },
  }
}

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
    ...{ type, time, description, balance_usd: balance },
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

/** One object around all rows, written piece by piece. */
const json: StatementWriter = {
  opening({ closing: _, rows, ...head }) {
    const known = { schema: 'svc.statement/2', ...head, row_count: rows }
    return `${jsonText(known).slice(0, -1)},"rows":[`
  },
  rows: (rows, first) =>
    rows.map((row, i) => (first && i === 0 ? '' : ',') + jsonText(row)).join(''),
  closing: ({ closing }) => `],"closing":${jsonText(closing)}}\n`,
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

/** By format, for one statement. The argument is the widest line that the reader can take. */
export const statementWriters = {
  table: tableWriter,
  csv: () => csv,
  json: () => json,
  jsonl: () => jsonl,
  html: () => htmlWriter,
} as const satisfies Record<string, (widthMax?: number) => StatementWriter>
