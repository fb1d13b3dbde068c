/** A statement as a table, CSV, JSON or lines of JSON: opening + rows = closing in every one. */

import type { StatementEntry } from '@svc/contracts/admin/billing'
import { parseDollars } from '@svc/contracts/money'
import { jsonText } from '../context/json-text.ts'
import { csvLine, csvText } from './csv.ts'
import { type Column, Table } from './table.ts'

export interface StatementPeriod {
  readonly account_id: string
  readonly from?: string
  readonly to?: string
}

export interface StatementWriter {
  opening(head: StatementPeriod & { readonly opening: string }): string
  rows(rows: readonly StatementEntry[], first: boolean): string
  closing(foot: StatementPeriod & { readonly closing: string; readonly rows: number }): string
  /** Columns that did not fit the terminal. */
  readonly leftOut?: readonly string[]
}

const columns: readonly Column<StatementEntry>[] = [
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
  const table = new Table(columns, widthMax)
  return {
    opening: (head) =>
      `Statement of ${head.account_id}, USD, ${periodText(head)}\n` +
      `Opening balance  ${head.opening}\n\n`,
    rows: (rows, first) => (first ? table.header(rows) : '') + table.rows(rows),
    closing: ({ closing, rows }) => `\nClosing balance  ${closing}  (all ${rows} rows)\n`,
    get leftOut() {
      return table.leftOut
    },
  }
}

function periodText({ from, to }: StatementPeriod): string {
  if (from === undefined && to === undefined) return 'all time'
  const start = from === undefined ? '' : `from ${from} `
  const end = to === undefined ? '' : `before ${to}`
  return (start + end).trim()
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
]

/** The first and the last line are the opening and the closing balance. */
const csv: StatementWriter = {
  opening: ({ opening, from }) => csvLine(CSV_COLUMNS) + csvBalance('opening', from, opening),
  rows: (rows) => rows.map(csvRow).join(''),
  closing: ({ closing, to }) => csvBalance('closing', to, closing),
}

function csvBalance(type: string, time: string | undefined, balance: string): string {
  const pico = `${parseDollars(balance)}`
  return csvLine(['', time ?? '', type, '', '', '', '', balance, '', '', pico, '', '', '', ''])
}

function csvRow(row: StatementEntry): string {
  return csvLine([
    `${row.entry}`,
    row.at,
    row.type,
    csvText(row.reference),
    csvText(row.description),
    row.debit,
    row.credit,
    row.balance,
    `${parseDollars(row.debit)}`,
    `${parseDollars(row.credit)}`,
    `${parseDollars(row.balance)}`,
    csvText(row.event.stream),
    `${row.event.revision}`,
    row.event.hash,
    csvText(row.payment_reference ?? ''),
  ])
}

/** One object around all rows, written piece by piece. */
const json: StatementWriter = {
  opening: (head) => `${jsonText({ schema: 'svc.statement/2', ...head }).slice(0, -1)},"rows":[`,
  rows: (rows, first) =>
    rows.map((row, i) => (first && i === 0 ? '' : ',') + jsonText(row)).join(''),
  closing: ({ closing }) => `],"closing":${jsonText(closing)}}\n`,
}

const jsonl: StatementWriter = {
  opening: (head) => `${jsonText({ type: 'opening', schema: 'svc.statement/2', ...head })}\n`,
  rows: (rows) => rows.map((row) => `${jsonText(row)}\n`).join(''),
  closing: ({ closing, rows }) => `${jsonText({ type: 'closing', closing, rows })}\n`,
}

/** By format, for one statement. The argument is the widest line that the reader can take. */
export const statementWriters = {
  table: tableWriter,
  csv: () => csv,
  json: () => json,
  jsonl: () => jsonl,
} as const satisfies Record<string, (widthMax?: number) => StatementWriter>
