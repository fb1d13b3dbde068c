/** A statement as a table, CSV, JSON or lines of JSON: opening + rows = closing in every one. */

import { jsonText } from '@svc/contracts/json-text'
import { parseDollars } from '@svc/contracts/money'
import { statementFiles } from '@svc/contracts/statement-files'
import { periodText, type StatementWriter } from '@svc/contracts/statement-writer'
import type { StatementEntry } from '@svc/contracts/wire/statement'
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

/** Writes one object around all rows, piece by piece. */
const json: StatementWriter = {
  opening({ closing: _, rows, ...head }) {
    const known = { schema: 'svc.statement/2', ...head, row_count: rows }
    return `${jsonText(known).slice(0, -1)},"rows":[`
  },
  rows: (rows, first) =>
    rows.map((row, i) => (first && i === 0 ? '' : ',') + jsonText(row)).join(''),
  closing: ({ closing }) => `],"closing":${jsonText(closing)}}\n`,
}

/**
 * Writers by format, for one statement. The argument is the widest line that the reader can take.
 */
export const statementWriters = {
  table: tableWriter,
  csv: () => statementFiles.csv,
  json: () => json,
  jsonl: () => statementFiles.jsonl,
  html: () => statementFiles.html,
} as const satisfies Record<string, (widthMax?: number) => StatementWriter>
