/** Damages a view of statements as a failing disk or a hand in the file would. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const STATEMENTS = /^statement-v\d+\.db$/

/** @param picoDollars what the entry moved by from now on, a debit below zero; its
 * balance stays */
export function alterAmount(viewsFolder: string, entry: number, picoDollars: bigint): void {
  const file = readdirSync(viewsFolder).find((name) => STATEMENTS.test(name))
  if (file === undefined) throw new Error(`${viewsFolder} holds no view of statements`)
  const view = new DatabaseSync(join(viewsFolder, file))
  view.prepare('UPDATE entries SET amount = ? WHERE entry = ?').run(`${picoDollars}`, entry)
  view.close()
}
