/** CSV as RFC 4180 has it, safe to open in a spreadsheet and to show on a terminal. */
import { printable } from '../text/printable.ts'

/**
 * Text that a spreadsheet would compute, one of another language also by the wide signs. Amounts
 * are not passed through here: they stay numbers.
 */
const FORMULA = /^[=+\-@＝＋－＠]/

export function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`
}

/** A cell of free text. */
export function csvText(text: string): string {
  const shown = printable(text)
  const inert = FORMULA.test(shown) ? `'${shown}` : shown
  return /[",]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
