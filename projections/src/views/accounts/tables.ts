/** Reads and writes the rows of the accounts view. */
import type { DatabaseSync } from 'node:sqlite'
import type { SpendPolicy } from '@svc/contracts/events/account'
import type { RowTable } from '../touched-rows.ts'
import type { AccountState, HoldState } from './project.ts'

export interface StoredAccount {
  readonly account_id: string
  readonly name: string
  readonly external_id: string | null
  readonly metadata: string
  readonly status: AccountState['status']
  readonly spend_policy: SpendPolicy
  readonly settled: string
  readonly held: string
  readonly granted_total: string
  readonly debited_total: string
  readonly open_requests: number
  readonly opened_at: number
  readonly last_activity_at: number
}

export function accountsTable(database: DatabaseSync): RowTable<AccountState> {
  const select = database.prepare('SELECT * FROM accounts WHERE account_id = ?')
  const insert = database.prepare('INSERT INTO accounts VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)')
  const update = database.prepare(`
    UPDATE accounts SET name = ?, status = ?, spend_policy = ?, settled = ?, held = ?,
      granted_total = ?, debited_total = ?, open_requests = ?, last_activity_at = ?
    WHERE account_id = ?`)
  const remove = database.prepare('DELETE FROM accounts WHERE account_id = ?')
  return {
    load(accountId) {
      const row = select.get(accountId) as StoredAccount | undefined
      return row === undefined ? undefined : readAccount(row)
    },
    insert(row) {
      insert.run(
        row.accountId,
        row.name,
        row.externalId,
        JSON.stringify(row.metadata),
        row.status,
        row.spendPolicy,
        row.settled.toString(),
        row.held.toString(),
        row.grantedTotal.toString(),
        row.debitedTotal.toString(),
        row.openRequests,
        row.openedAt,
        row.lastActivityAt,
      )
    },
    update(row) {
      update.run(
        row.name,
        row.status,
        row.spendPolicy,
        row.settled.toString(),
        row.held.toString(),
        row.grantedTotal.toString(),
        row.debitedTotal.toString(),
        row.openRequests,
        row.lastActivityAt,
        row.accountId,
      )
    },
    remove: (accountId) => void remove.run(accountId),
  }
}

export function holdsTable(database: DatabaseSync): RowTable<HoldState> {
  const select = database.prepare('SELECT hold FROM holds WHERE request_id = ?')
  const insert = database.prepare('INSERT INTO holds VALUES (?,?)')
  const update = database.prepare('UPDATE holds SET hold = ? WHERE request_id = ?')
  const remove = database.prepare('DELETE FROM holds WHERE request_id = ?')
  return {
    load(requestId) {
      const row = select.get(requestId) as { hold: string } | undefined
      return row === undefined ? undefined : { requestId, hold: BigInt(row.hold) }
    },
    insert: (row) => void insert.run(row.requestId, row.hold.toString()),
    update: (row) => void update.run(row.hold.toString(), row.requestId),
    remove: (requestId) => void remove.run(requestId),
  }
}

export function readAccount(row: StoredAccount): AccountState {
  return {
    accountId: row.account_id,
    name: row.name,
    externalId: row.external_id,
    metadata: JSON.parse(row.metadata) as Record<string, string>,
    status: row.status,
    spendPolicy: row.spend_policy,
    settled: BigInt(row.settled),
    held: BigInt(row.held),
    grantedTotal: BigInt(row.granted_total),
    debitedTotal: BigInt(row.debited_total),
    openRequests: row.open_requests,
    openedAt: row.opened_at,
    lastActivityAt: row.last_activity_at,
  }
}
