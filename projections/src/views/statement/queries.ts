import type { DatabaseSync } from 'node:sqlite'
import type { Statement, StatementQuery } from '../../views.ts'
import { readEntry, type StoredEntry } from './tables.ts'

export interface StatementQueries {
  /** One page of an account's statement. Opening and closing are those of the page. */
  statement(query: StatementQuery): Statement
}

export function statementQueries(database: DatabaseSync): StatementQueries {
  const last = database.prepare(
    'SELECT entry FROM entries WHERE account_id = ? ORDER BY entry DESC LIMIT 1',
  )
  const timeOf = database.prepare('SELECT at FROM entries WHERE account_id = ? AND entry = ?')
  const balanceOf = database.prepare(
    'SELECT balance FROM entries WHERE account_id = ? AND entry = ?',
  )
  const page = database.prepare(`
    SELECT * FROM entries WHERE account_id = ? AND entry > ? AND entry <= ?
    ORDER BY entry LIMIT ?`)

  /**
   * The last entry before a moment, or 0. Entries are dense and their times never go back, so it is
   * found by halving: no index on the time is needed, which every insert would have to pay for.
   */
  function lastBefore(accountId: string, timeMs: number, lastEntry: number): number {
    let before = 0
    let notBefore = lastEntry + 1
    while (notBefore - before > 1) {
      const middle = Math.floor((before + notBefore) / 2)
      const { at } = timeOf.get(accountId, middle) as { at: number }
      if (at < timeMs) before = middle
      else notBefore = middle
    }
    return before
  }

  function balanceAfter(accountId: string, entry: number): bigint {
    if (entry === 0) return 0n
    return BigInt((balanceOf.get(accountId, entry) as { balance: string }).balance)
  }

  return {
    statement({ accountId, from, to, after = 0, limit }) {
      const lastEntry = (last.get(accountId) as { entry: number } | undefined)?.entry ?? 0
      const end = to === undefined ? lastEntry : lastBefore(accountId, to, lastEntry)
      const start = from === undefined ? 0 : lastBefore(accountId, from, lastEntry)
      const behind = Math.min(Math.max(start, after), Math.max(start, end))
      const rows = (page.all(accountId, behind, end, limit) as unknown as StoredEntry[]).map(
        readEntry,
      )
      const opening = balanceAfter(accountId, behind)
      const lastRow = rows.at(-1)
      return {
        opening,
        closing: lastRow?.balance ?? opening,
        rows,
        more: (lastRow?.entry ?? end) < end,
      }
    },
  }
}
