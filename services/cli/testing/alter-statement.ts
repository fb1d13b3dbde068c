/** Damages a view of statements as a failing disk or a hand in the file would. */
import { DatabaseSync } from 'node:sqlite'
import { viewPath } from '@svc/projections/runner/view-file'
import { statementProjection } from '@svc/projections/views/statement/statement'

/** @param picoDollars what the entry moved by from now on; its balance stays */
export function alterAmount(viewsFolder: string, entry: number, picoDollars: bigint): void {
  const view = new DatabaseSync(viewPath(viewsFolder, statementProjection))
  view.prepare('UPDATE entries SET amount = ? WHERE entry = ?').run(`${picoDollars}`, entry)
  view.close()
}
