/** Reads and writes the rows of the requests view. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { select } from '../../projection/select.ts'
import type { RowTable } from '../touched-rows.ts'
import type { KeyUse, RefundPlace, RequestPlace } from './project.ts'

export const SELECT_PLACE = `
  SELECT request_id, account_id, accepted, metered, debited, ended, gateway_id, deadline
  FROM requests LEFT JOIN running USING (request_id) WHERE request_id = ?`

export interface StoredPlace {
  readonly request_id: string
  readonly account_id: string
  readonly accepted: number
  readonly metered: number | null
  readonly debited: number | null
  readonly ended: number | null
  readonly gateway_id: string | null
  readonly deadline: number | null
}

/** A request's row, and while it runs the one beside it. */
export function requestsTable(database: DatabaseSync): RowTable<RequestPlace> {
  const one = select<StoredPlace>(database, SELECT_PLACE)
  const insert = database.prepare('INSERT INTO requests VALUES (?,?,?,?,?,?)')
  const update = database.prepare(
    'UPDATE requests SET metered = ?, debited = ?, ended = ? WHERE request_id = ?',
  )
  const remove = database.prepare('DELETE FROM requests WHERE request_id = ?')
  const insertRunning = database.prepare('INSERT INTO running VALUES (?,?,?)')
  const removeRunning = database.prepare('DELETE FROM running WHERE request_id = ?')
  return {
    load(requestId) {
      const row = one.get(requestId)
      return row === undefined ? undefined : readPlace(row)
    },
    insert({ requestId, accountId, accepted, metered, debited, ended, running }) {
      insert.get(requestId, accountId, accepted, metered, debited, ended)
      if (running !== null) insertRunning.get(requestId, running.gatewayId, running.deadline)
    },
    update({ requestId, metered, debited, ended, running }) {
      update.get(metered, debited, ended, requestId)
      if (running === null) removeRunning.get(requestId)
    },
    remove(requestId) {
      remove.get(requestId)
      removeRunning.get(requestId)
    },
  }
}

/** The keys that were used since the last flush. */
export class UsedKeyRows {
  readonly #put: StatementSync
  readonly #waiting: KeyUse[] = []

  constructor(database: DatabaseSync) {
    this.#put = database.prepare('INSERT OR REPLACE INTO idempotency_keys VALUES (?,?,?)')
  }

  add(use: KeyUse): void {
    this.#waiting.push(use)
  }

  *flush(): Generator<undefined> {
    for (const { accountId, keyHash, requestId } of this.#waiting) {
      this.#put.get(accountId, keyHash, requestId)
      yield
    }
    this.clear()
  }

  clear(): void {
    this.#waiting.length = 0
  }
}

/** The refunds since the last flush. */
export class RefundRows {
  readonly #insert: StatementSync
  readonly #waiting: RefundPlace[] = []

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO refunds VALUES (?,?,?)')
  }

  add(refund: RefundPlace): void {
    this.#waiting.push(refund)
  }

  *flush(): Generator<undefined> {
    for (const { requestId, revision, refundId } of this.#waiting) {
      this.#insert.get(requestId, revision, refundId)
      yield
    }
    this.clear()
  }

  clear(): void {
    this.#waiting.length = 0
  }
}

export function readPlace(row: StoredPlace): RequestPlace {
  const { gateway_id: gatewayId, deadline } = row
  return {
    requestId: row.request_id,
    accountId: row.account_id,
    accepted: row.accepted,
    metered: row.metered,
    debited: row.debited,
    ended: row.ended,
    running: gatewayId === null || deadline === null ? null : { gatewayId, deadline },
  }
}
