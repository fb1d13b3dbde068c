/** A statement to print or to keep: one page of HTML that loads nothing and runs nothing. */
import { printable } from '../text/printable.ts'
import type { StatementEntry } from '../wire/statement.ts'
import { periodText, type StatementHead, type StatementWriter } from './statement-writer.ts'

/** The style of the page: a content security policy may allow it by its hash. */
export const STATEMENT_STYLE = `body { font: 11px/1.4 system-ui, sans-serif; margin: 2em; color: #111; background: #fff }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: 2px 6px; border-bottom: 1px solid #ccc; vertical-align: top }
td.amount, th.amount { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
dl { display: grid; grid-template-columns: max-content auto; gap: 2px 1em }
dd { margin: 0; overflow-wrap: anywhere }
@media print { body { margin: 0 } thead { display: table-header-group } tr { break-inside: avoid } }
@page { size: A4 landscape; margin: 12mm }`

type Column = readonly [title: string, text: (row: StatementEntry) => string, isAmount?: true]

const columns: readonly Column[] = [
  ['Entry', (row) => `${row.entry}`, true],
  ['Time', (row) => row.at],
  ['Type', (row) => row.type],
  ['Description', (row) => row.description],
  ['Payment', (row) => row.payment_reference ?? ''],
  ['By', (row) => row.actor ?? row.key?.name ?? ''],
  ['Debit', (row) => row.debit, true],
  ['Credit', (row) => row.credit, true],
  ['of it promotional', (row) => row.promotional, true],
  ['Balance', (row) => row.balance, true],
]

export const htmlWriter: StatementWriter = {
  opening: (head) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Statement of ${html(head.account_id)}</title>
<style>${STATEMENT_STYLE}</style></head>
<body>
<h1>Statement</h1>
<dl>${facts(head)}</dl>
<table>
<thead><tr>${columns.map(([title, , isAmount]) => cell('th', title, isAmount)).join('')}</tr></thead>
<tbody>
`,
  rows: (rows) =>
    rows
      .map((row) => {
        const cells = columns.map(([, text, isAmount]) => cell('td', text(row), isAmount))
        return `<tr>${cells.join('')}</tr>\n`
      })
      .join(''),
  closing: () => `</tbody>
</table>
</body>
</html>
`,
}

function facts(head: StatementHead): string {
  const lines = [
    ['Account', head.account_id],
    ['Period', `${periodText(head)}, ${head.zone}`],
    ['Currency', head.currency],
    ['Opening balance', head.opening],
    ['Closing balance', head.closing],
    ['Rows', `${head.rows}`],
    ['Ledger position', head.position],
    ['SHA-256 of the rows', head.sha256],
  ]
  return lines
    .map(([name = '', value = '']) => `<dt>${html(name)}</dt><dd>${html(value)}</dd>`)
    .join('')
}

function cell(tag: 'td' | 'th', text: string, isAmount: true | undefined): string {
  return `<${tag}${isAmount === true ? ' class="amount"' : ''}>${html(text)}</${tag}>`
}

function html(text: string): string {
  return printable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
