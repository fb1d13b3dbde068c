/** What writes a statement: its head, its rows page by page, and its end. */
import type { StatementEntry } from '../wire/statement.ts'

export interface StatementPeriod {
  readonly account_id: string
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/**
 * The facts of a statement that are known before its first row is shown: all of it was added up.
 */
export interface StatementHead extends StatementPeriod {
  readonly zone: string
  readonly currency: 'USD'
  /** Every event of the log up to here is in it. */
  readonly position: string
  readonly opening: string
  readonly closing: string
  readonly rows: number
  /** The hash of the rows as lines of JSON. */
  readonly sha256: string
}

export interface StatementWriter {
  opening(head: StatementHead): string
  rows(rows: readonly StatementEntry[], first: boolean): string
  closing(head: StatementHead): string
  /** Columns that did not fit the terminal. */
  readonly leftOut?: readonly string[]
}

export function periodText({ from, to }: StatementPeriod): string {
  if (from === undefined && to === undefined) return 'all time'
  const start = from === undefined ? '' : `from ${from} `
  const end = to === undefined ? '' : `before ${to}`
  return (start + end).trim()
}
