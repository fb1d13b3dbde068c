import type { DatabaseSync } from 'node:sqlite'
import type { AccountRow } from '../views.ts'
import { readAccount, type StoredAccount } from './tables.ts'

export interface AccountTotals {
  readonly accounts: number
  readonly openRequests: number
}

export interface AccountsQueries {
  account(accountId: string): AccountRow | undefined
  accountOfExternalId(externalId: string): AccountRow | undefined
  /** Oldest first. @param page `after` an account */
  accounts(page: { after?: string; limit: number }): readonly AccountRow[]
  accountTotals(): AccountTotals
}

export function accountsQueries(database: DatabaseSync): AccountsQueries {
  const one = database.prepare('SELECT * FROM accounts WHERE account_id = ?')
  const page = database.prepare(
    `SELECT * FROM accounts WHERE (opened_at, account_id) >
       (coalesce((SELECT opened_at FROM accounts WHERE account_id = :after), -1), :after)
     ORDER BY opened_at, account_id LIMIT :limit`,
  )
  const ofExternalId = database.prepare('SELECT * FROM accounts WHERE external_id = ?')
  const totals = database.prepare(`
    SELECT (SELECT count(*) FROM accounts) AS accounts,
      (SELECT count(*) FROM holds) AS openRequests`)
  return {
    account(accountId) {
      const row = one.get(accountId) as StoredAccount | undefined
      return row === undefined ? undefined : readAccount(row)
    },
    accountOfExternalId(externalId) {
      const row = ofExternalId.get(externalId) as StoredAccount | undefined
      return row === undefined ? undefined : readAccount(row)
    },
    accounts({ after = '', limit }) {
      return (page.all({ after, limit }) as unknown as StoredAccount[]).map(readAccount)
    },
    accountTotals: () => totals.get() as unknown as AccountTotals,
  }
}
