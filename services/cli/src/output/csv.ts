/** CSV as RFC 4180 has it, safe to open in a spreadsheet. */

import { printable } from '../context/terminal.ts'

/**
 * Text that a spreadsheet would compute. Amounts are not passed through here: they stay numbers.
 */
const FORMULA = /^[=+\-@]/

export function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`
}

/** A cell of free text, without what a terminal would obey if the file is shown on one. */
export function csvText(given: string): string {
  const text = printable(given)
  const inert = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
