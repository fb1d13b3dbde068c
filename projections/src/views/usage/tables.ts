/** Reads and writes the rows of the usage view. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { select } from '../../projection/select.ts'
import { type RowTable, rowsByKey } from '../touched-rows.ts'
import {
  type EndedRequest,
  type EndedStatus,
  endedStatuses,
  type KeyState,
  type MovementTotal,
  type RunningSeries,
  type UsageTotal,
} from './project.ts'
import type { TotalsTable } from './totals.ts'
import { columnsOf, nothingUsed, readUsed, type StoredUsed } from './used.ts'

export interface StoredUsage extends StoredUsed {
  readonly series: number
  readonly quarter: number
  readonly at: number
  readonly revision: number
  readonly balance: string
  readonly last_used_at: number
}

export interface StoredMovements {
  readonly account_id: string
  readonly quarter: number
  readonly at: number
  readonly revision: number
  readonly balance: string
  readonly payments: string
  readonly promotional: string
  readonly expired: string
  readonly refunded: string
  readonly corrected: string
}

export interface StoredKey {
  readonly key_id: string
  readonly account_id: string
  readonly name: string
  readonly last_four: string
  readonly created_at: number
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly created_by: string | null
}

export function usageTable(database: DatabaseSync): TotalsTable<number, UsageTotal> {
  const last = select<StoredUsage>(
    database,
    'SELECT * FROM usage WHERE series = ? ORDER BY quarter DESC LIMIT 1',
  )
  const put = database.prepare('INSERT OR REPLACE INTO usage VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)')
  return {
    load(series) {
      const row = last.get(series)
      return row === undefined ? undefined : readUsage(row)
    },
    empty: emptyUsage,
    put(total) {
      put.get(
        total.series,
        total.quarter,
        total.at,
        total.revision,
        total.balance,
        total.lastUsedAt,
        ...columnsOf(total),
      )
    },
  }
}

export function emptyUsage(series: number): UsageTotal {
  return {
    series,
    quarter: 0,
    at: 0,
    revision: -1,
    balance: '0',
    lastUsedAt: 0,
    ...nothingUsed(),
  }
}

export function readUsage(row: StoredUsage): UsageTotal {
  return {
    series: row.series,
    quarter: row.quarter,
    at: row.at,
    revision: row.revision,
    balance: row.balance,
    lastUsedAt: row.last_used_at,
    ...readUsed(row),
  }
}

export function movementsTable(database: DatabaseSync): TotalsTable<string, MovementTotal> {
  const last = select<StoredMovements>(
    database,
    'SELECT * FROM movements WHERE account_id = ? ORDER BY quarter DESC LIMIT 1',
  )
  const put = database.prepare('INSERT OR REPLACE INTO movements VALUES (?,?,?,?,?,?,?,?,?,?)')
  return {
    load(accountId) {
      const row = last.get(accountId)
      return row === undefined ? undefined : readMovements(row)
    },
    empty: emptyMovements,
    put(total) {
      put.get(
        total.accountId,
        total.quarter,
        total.at,
        total.revision,
        total.balance,
        total.payments.toString(),
        total.promotional.toString(),
        total.expired.toString(),
        total.refunded.toString(),
        total.corrected.toString(),
      )
    },
  }
}

export function emptyMovements(accountId: string): MovementTotal {
  return {
    accountId,
    quarter: 0,
    at: 0,
    revision: -1,
    balance: '0',
    payments: 0n,
    promotional: 0n,
    expired: 0n,
    refunded: 0n,
    corrected: 0n,
  }
}

export function readMovements(row: StoredMovements): MovementTotal {
  return {
    accountId: row.account_id,
    quarter: row.quarter,
    at: row.at,
    revision: row.revision,
    balance: row.balance,
    payments: BigInt(row.payments),
    promotional: BigInt(row.promotional),
    expired: BigInt(row.expired),
    refunded: BigInt(row.refunded),
    corrected: BigInt(row.corrected),
  }
}

export function keysTable(database: DatabaseSync): RowTable<KeyState> {
  const insert = database.prepare('INSERT INTO keys VALUES (?,?,?,?,?,?,?,?)')
  const update = database.prepare(
    'UPDATE keys SET name = ?, expires_at = ?, revoked_at = ? WHERE key_id = ?',
  )
  return {
    ...rowsByKey(database, { table: 'keys', key: 'key_id', read: readKey }),
    insert(key) {
      const { keyId, accountId, name, lastFour, createdAt, expiresAt, revokedAt, createdBy } = key
      insert.get(keyId, accountId, name, lastFour, createdAt, expiresAt, revokedAt, createdBy)
    },
    update: ({ keyId, name, expiresAt, revokedAt }) =>
      void update.get(name, expiresAt, revokedAt, keyId),
  }
}

export function readKey(row: StoredKey): KeyState {
  return {
    keyId: row.key_id,
    accountId: row.account_id,
    name: row.name,
    lastFour: row.last_four,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    createdBy: row.created_by,
  }
}

export function runningSeriesTable(database: DatabaseSync): RowTable<RunningSeries> {
  const one = select<{ series: number; status: number }>(
    database,
    'SELECT series, status FROM running WHERE request_id = ?',
  )
  const insert = database.prepare('INSERT INTO running VALUES (?,?,?)')
  const update = database.prepare('UPDATE running SET status = ? WHERE request_id = ?')
  const remove = database.prepare('DELETE FROM running WHERE request_id = ?')
  return {
    load(requestId) {
      const row = one.get(requestId)
      if (row === undefined) return undefined
      return { requestId, series: row.series, status: endedStatuses[row.status] ?? 'finished' }
    },
    insert: ({ requestId, series, status }) =>
      void insert.get(requestId, series, statusNumber(status)),
    update: ({ requestId, status }) => void update.get(statusNumber(status), requestId),
    remove: (requestId) => void remove.get(requestId),
  }
}

export function statusNumber(status: EndedStatus): number {
  return endedStatuses.indexOf(status)
}

/** Requests that ended since the last flush. */
export class EndedRequests {
  readonly #insert: StatementSync
  readonly #waiting: EndedRequest[] = []

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO ended VALUES (?,?,?)')
  }

  add(request: EndedRequest): void {
    this.#waiting.push(request)
  }

  *flush(): Generator<undefined> {
    for (const { series, status, requestId } of this.#waiting) {
      this.#insert.get(series, statusNumber(status), requestId)
      yield
    }
    this.clear()
  }

  clear(): void {
    this.#waiting.length = 0
  }
}
