import { csvText as anyCsvText } from '@svc/contracts/csv'
import { printable } from '../context/terminal.ts'

/** A cell of free text, without what a terminal would obey if the file is shown on one. */
export function csvText(text: string): string {
  return anyCsvText(printable(text))
}
