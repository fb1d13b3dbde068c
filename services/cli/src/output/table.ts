/**
 * Tables of text: columns wide enough for what is in them, whole numbers to the right, decimal
 * points under each other.
 *
 * For a person the rows fit the terminal: text that may be cut is cut, then whole columns are left
 * out, and both are said. A file or a program gets every column whole.
 */

import { printable } from '@svc/contracts/printable'
import type { Context } from '../context/context.ts'
import { textWidth } from './text-width.ts'

export interface Column<Row> {
  readonly title: string
  /** `decimal` puts the decimal points of all rows under each other. */
  readonly align?: 'right' | 'decimal'
  /** The least width of the column, for rows that come one by one. */
  readonly width?: number
  /** The width down to which its text may be cut on a narrow terminal. */
  readonly cutTo?: number
  /** Is left out when the rows do not fit: 1 goes first. Columns without it always stay. */
  readonly leftOut?: number | undefined
  readonly text: (row: Row) => string
}

const GAP = '  '
const CUT_MARK = '…'

/** The width in front of the decimal point, and that of the point with what follows. */
interface Widths {
  readonly whole: number
  readonly fraction: number
}

interface FittedColumn<Row> extends Column<Row> {
  widths: Widths
  /** Is undefined when its text is never cut. */
  cut: number | undefined
}

/** One table whose rows may come in pages: the columns of the first page stay. */
export class Table<Row> {
  readonly #columns: readonly Column<Row>[]
  readonly #widthMax: number
  #fitted: readonly FittedColumn<Row>[] | undefined

  /** @param widthMax of a line; default: as wide as the rows are */
  constructor(columns: readonly Column<Row>[], widthMax = Number.POSITIVE_INFINITY) {
    this.#columns = columns
    this.#widthMax = widthMax
  }

  /** The heading, fitted to these rows. */
  header(rows: readonly Row[]): string {
    this.#fitted = fit(this.#columns, rows, this.#widthMax)
    return line(this.#fitted.map((column) => pad(column.title, column)))
  }

  /** Needs the heading first. A later row that is wider makes its columns wider from there on. */
  rows(rows: readonly Row[]): string {
    const columns = this.#fitted ?? []
    for (const column of columns) column.widths = widest(column.widths, widthsOf(column, rows))
    return rows.map((row) => line(columns.map((column) => cell(column, row)))).join('')
  }

  /** Titles of the columns that did not fit. */
  get leftOut(): readonly string[] {
    const shown = new Set(this.#fitted?.map(({ title }) => title))
    return this.#columns.map(({ title }) => title).filter((title) => !shown.has(title))
  }
}

/** A whole table, and a note of what did not fit. */
export function tableText<Row>(
  context: Context,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): string {
  const table = new Table(columns, context.terminal.columns)
  const text = table.header(rows) + table.rows(rows)
  noteLeftOut(context, table.leftOut)
  return text
}

export function noteLeftOut(context: Context, leftOut: readonly string[] = []): void {
  if (leftOut.length === 0) return
  context.note(`too wide for this terminal, and left out: ${leftOut.join(', ')} (--json has all)`)
}

/** Cuts what may be cut, then leaves columns out one by one, until a line fits. */
function fit<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  widthMax: number,
): readonly FittedColumn<Row>[] {
  let kept = columns.map((column): FittedColumn<Row> => {
    return { ...column, widths: widthsOf(column, rows), cut: undefined }
  })
  for (;;) {
    const tooWide = lineWidth(kept) - widthMax
    if (tooWide <= 0) return kept
    const room = kept.reduce((sum, column) => sum + cuttable(column), 0)
    if (room >= tooWide) return cutBy(kept, tooWide)
    const next = kept
      .filter(({ leftOut }) => leftOut !== undefined)
      .toSorted((one, other) => (one.leftOut ?? 0) - (other.leftOut ?? 0))[0]
    if (next === undefined) return cutBy(kept, tooWide)
    kept = kept.filter((column) => column !== next)
  }
}

function lineWidth<Row>(columns: readonly FittedColumn<Row>[]): number {
  const gaps = GAP.length * (columns.length - 1)
  return columns.reduce((sum, column) => sum + columnWidth(column), gaps)
}

/** The title may be wider than all that stands below it. */
function columnWidth<Row>({ widths, title, width = 0, cut }: FittedColumn<Row>): number {
  return cut ?? Math.max(widths.whole + widths.fraction, textWidth(title), width)
}

function cuttable<Row>(column: FittedColumn<Row>): number {
  const { cutTo, title } = column
  if (cutTo === undefined) return 0
  return Math.max(0, columnWidth(column) - Math.max(cutTo, textWidth(title)))
}

function cutBy<Row>(
  columns: readonly FittedColumn<Row>[],
  tooWide: number,
): readonly FittedColumn<Row>[] {
  let left = tooWide
  return columns.map((column) => {
    const taken = Math.min(cuttable(column), left)
    left -= taken
    return taken === 0 ? column : { ...column, cut: columnWidth(column) - taken }
  })
}

function widthsOf<Row>(column: Column<Row>, rows: readonly Row[]): Widths {
  return rows.reduce((known, row) => widest(known, split(column, printable(column.text(row)))), {
    whole: 0,
    fraction: 0,
  })
}

function split<Row>({ align }: Column<Row>, text: string): Widths {
  const point = align === 'decimal' ? text.indexOf('.') : -1
  if (point === -1) return { whole: textWidth(text), fraction: 0 }
  return { whole: textWidth(text.slice(0, point)), fraction: textWidth(text.slice(point)) }
}

function widest(one: Widths, other: Widths): Widths {
  return {
    whole: Math.max(one.whole, other.whole),
    fraction: Math.max(one.fraction, other.fraction),
  }
}

function cell<Row>(column: FittedColumn<Row>, row: Row): string {
  const text = printable(column.text(row))
  if (column.cut !== undefined) return pad(cutText(text, column.cut), column)
  if (column.align !== 'decimal' || text === '') return pad(text, column)
  const behind = ' '.repeat(column.widths.fraction - split(column, text).fraction)
  return pad(text + behind, column)
}

function pad<Row>(text: string, column: FittedColumn<Row>): string {
  const space = ' '.repeat(Math.max(0, columnWidth(column) - textWidth(text)))
  return column.align === undefined ? text + space : space + text
}

/** Cuts a text, never through a character that is made of several. */
function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (textWidth(kept + segment) > width - textWidth(CUT_MARK)) break
    kept += segment
  }
  return kept + CUT_MARK
}

function line(cells: readonly string[]): string {
  return `${cells.join(GAP).trimEnd()}\n`
}
