/**
 * What an account used with all its keys, models and formats together: a chart of it looks at one
 * row for each step of time, and not at as many as there are combinations.
 */
import type { DatabaseSync } from 'node:sqlite'
import { select } from '../../projection/select.ts'
import type { TotalsTable } from './totals.ts'
import { columnsOf, nothingUsed, readUsed, type StoredUsed, type Used } from './used.ts'

/** The usage of an account up to the end of a quarter, as in a series. */
export interface AccountUsage extends Used {
  readonly accountId: string
  /** The number of the quarter since 1970; 0 before the first debit. */
  quarter: number
}

interface StoredAccountUsage extends StoredUsed {
  readonly account_id: string
  readonly quarter: number
}

export function accountUsageTable(database: DatabaseSync): TotalsTable<string, AccountUsage> {
  const last = select<StoredAccountUsage>(
    database,
    'SELECT * FROM account_usage WHERE account_id = ? ORDER BY quarter DESC LIMIT 1',
  )
  const put = database.prepare('INSERT OR REPLACE INTO account_usage VALUES (?,?,?,?,?,?,?,?,?)')
  return {
    load(accountId) {
      const row = last.get(accountId)
      return row === undefined ? undefined : { accountId, quarter: row.quarter, ...readUsed(row) }
    },
    empty: (accountId) => ({ accountId, quarter: 0, ...nothingUsed() }),
    put: (total) => void put.get(total.accountId, total.quarter, ...columnsOf(total)),
  }
}
