/** Reads and writes the rows of the accounts view. */
import type { DatabaseSync } from 'node:sqlite'
import type { SpendPolicy } from '@svc/contracts/events/account'
import type { HoldRow } from '../rows/account-rows.ts'
import { type RowTable, rowsByKey } from '../touched-rows.ts'
import type { GrantState } from './grants.ts'
import type { PriceState } from './prices.ts'
import type { AccountState } from './project.ts'
import { NEVER_MS } from './schema.ts'

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
  const insert = database.prepare('INSERT INTO accounts VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)')
  const update = database.prepare(`
    UPDATE accounts SET name = ?, status = ?, spend_policy = ?, settled = ?, held = ?,
      granted_total = ?, debited_total = ?, open_requests = ?, last_activity_at = ?
    WHERE account_id = ?`)
  return {
    ...rowsByKey(database, { table: 'accounts', key: 'account_id', read: readAccount }),
    insert(row) {
      insert.get(
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
      update.get(
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
  }
}

export interface StoredHold {
  readonly request_id: string
  readonly account_id: string
  readonly hold: string
  readonly since: number
  readonly deadline: number
}

export function holdsTable(database: DatabaseSync): RowTable<HoldRow> {
  const insert = database.prepare('INSERT INTO holds VALUES (?,?,?,?,?)')
  return {
    ...rowsByKey(database, { table: 'holds', key: 'request_id', read: readHold }),
    insert: ({ requestId, accountId, hold, since, deadline }) =>
      void insert.get(requestId, accountId, hold.toString(), since, deadline),
    // A hold comes and goes; it never changes.
    update() {},
  }
}

export function readHold(row: StoredHold): HoldRow {
  return {
    requestId: row.request_id,
    accountId: row.account_id,
    hold: BigInt(row.hold),
    since: row.since,
    deadline: row.deadline,
  }
}

export interface StoredGrant {
  readonly grant_id: string
  readonly account_id: string
  readonly category: GrantState['category']
  readonly priority: number
  readonly amount: string
  readonly remaining: string
  readonly ends_at: number
  readonly granted_at: number
  readonly voided_at: number | null
}

export function grantsTable(database: DatabaseSync): RowTable<GrantState> {
  const insert = database.prepare('INSERT INTO grants VALUES (?,?,?,?,?,?,?,?,?)')
  const update = database.prepare(
    'UPDATE grants SET remaining = ?, voided_at = ? WHERE grant_id = ?',
  )
  return {
    ...rowsByKey(database, { table: 'grants', key: 'grant_id', read: readGrant }),
    insert(grant) {
      insert.get(
        grant.grantId,
        grant.accountId,
        grant.category,
        grant.priority,
        grant.amount.toString(),
        grant.remaining.toString(),
        grant.expiresAt ?? NEVER_MS,
        grant.grantedAt,
        grant.voidedAt,
      )
    },
    update: ({ grantId, remaining, voidedAt }) =>
      void update.get(remaining.toString(), voidedAt, grantId),
  }
}

export function readGrant(row: StoredGrant): GrantState {
  return {
    grantId: row.grant_id,
    accountId: row.account_id,
    category: row.category,
    priority: row.priority,
    amount: BigInt(row.amount),
    remaining: BigInt(row.remaining),
    expiresAt: row.ends_at === NEVER_MS ? null : row.ends_at,
    grantedAt: row.granted_at,
    voidedAt: row.voided_at,
  }
}

export interface StoredPrice {
  readonly revision: number
  readonly version: string
  readonly model: string
  readonly price_list: string
  readonly input: string
  readonly cached_input: string
  readonly output: string
  readonly is_demo: number
  readonly effective_from: number
  readonly published_at: number
  readonly withdrawn_at: number | null
}

export function pricesTable(database: DatabaseSync): RowTable<PriceState> {
  const insert = database.prepare('INSERT INTO prices VALUES (?,?,?,?,?,?,?,?,?,?,?)')
  const update = database.prepare('UPDATE prices SET withdrawn_at = ? WHERE version = ?')
  return {
    ...rowsByKey(database, { table: 'prices', key: 'version', read: readPrice }),
    insert(price) {
      insert.get(
        price.revision,
        price.version,
        price.model,
        price.priceList,
        price.input.toString(),
        price.cachedInput.toString(),
        price.output.toString(),
        price.isDemo ? 1 : 0,
        price.effectiveFrom,
        price.publishedAt,
        price.withdrawnAt,
      )
    },
    update: ({ version, withdrawnAt }) => void update.get(withdrawnAt, version),
  }
}

export function readPrice(row: StoredPrice): PriceState {
  return {
    revision: row.revision,
    version: row.version,
    model: row.model,
    priceList: row.price_list,
    input: BigInt(row.input),
    cachedInput: BigInt(row.cached_input),
    output: BigInt(row.output),
    isDemo: row.is_demo === 1,
    effectiveFrom: row.effective_from,
    publishedAt: row.published_at,
    withdrawnAt: row.withdrawn_at,
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
