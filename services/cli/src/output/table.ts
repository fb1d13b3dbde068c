/** Tables of text: columns wide enough for what is in them, numbers to the right. */
import { printable } from '../terminal.ts'

export interface Column<Row> {
  readonly title: string
  readonly align?: 'right'
  /** At least this wide, so that pages of one list fit under each other. */
  readonly width?: number
  readonly text: (row: Row) => string
}

const GAP = '  '

export function tableText<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return [headerText(columns, rows), rowsText(columns, rows)].join('')
}

export function headerText<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const widths = widthsOf(columns, rows)
  return line(columns.map((column, i) => pad(column.title, widths[i] ?? 0, column.align)))
}

export function rowsText<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const widths = widthsOf(columns, rows)
  return rows
    .map((row) =>
      line(
        columns.map((column, i) => pad(printable(column.text(row)), widths[i] ?? 0, column.align)),
      ),
    )
    .join('')
}

function widthsOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): number[] {
  return columns.map((column) =>
    rows.reduce(
      (widest, row) => Math.max(widest, printable(column.text(row)).length),
      Math.max(column.title.length, column.width ?? 0),
    ),
  )
}

function pad(text: string, width: number, align: 'right' | undefined): string {
  return align === 'right' ? text.padStart(width) : text.padEnd(width)
}

function line(cells: readonly string[]): string {
  return `${cells.join(GAP).trimEnd()}\n`
}
