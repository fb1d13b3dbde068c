/** Damages views as a failing disk or a hand in the file would. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** @param picoDollars what the entry moved by from now on, a debit below zero; its
 * balance stays */
export function alterAmount(viewsFolder: string, entry: number, picoDollars: bigint): void {
  const view = openView(viewsFolder, 'statement')
  view.prepare('UPDATE entries SET amount = ? WHERE entry = ?').run(`${picoDollars}`, entry)
  view.close()
}

/** @param picoDollars what every account has, as the view tells it from now on */
export function alterSettled(viewsFolder: string, picoDollars: bigint): void {
  const view = openView(viewsFolder, 'accounts')
  view.prepare('UPDATE accounts SET settled = ?').run(`${picoDollars}`)
  view.close()
}

function openView(viewsFolder: string, view: string): DatabaseSync {
  const versions = new RegExp(`^${view}-v\\d+\\.db$`)
  const file = readdirSync(viewsFolder).find((name) => versions.test(name))
  if (file === undefined) throw new Error(`${viewsFolder} holds no view of ${view}`)
  return new DatabaseSync(join(viewsFolder, file))
}
