/** CSV as RFC 4180 has it, safe to open in a spreadsheet. */

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
  const inert = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
