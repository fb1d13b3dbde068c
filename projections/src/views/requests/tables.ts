/** Reads and writes the rows of the requests view. */
import type { DatabaseSync } from 'node:sqlite'
import type { RequestStatus } from '@svc/contracts/wire/billing'
import type { RowTable } from '../../touched-rows.ts'
import { readDocument, writeDocument } from './document.ts'
import type { RequestState } from './project.ts'

export interface StoredRequest {
  readonly request_id: string
  readonly account_id: string
  readonly status: RequestStatus
  readonly accepted_at: number
  readonly document: string
}

export function requestsTable(database: DatabaseSync): RowTable<RequestState> {
  const select = database.prepare('SELECT * FROM requests WHERE request_id = ?')
  const insert = database.prepare('INSERT INTO requests VALUES (?,?,?,?,?)')
  const update = database.prepare(
    'UPDATE requests SET status = ?, document = ? WHERE request_id = ?',
  )
  const remove = database.prepare('DELETE FROM requests WHERE request_id = ?')
  return {
    load(requestId) {
      const row = select.get(requestId) as StoredRequest | undefined
      return row === undefined ? undefined : readRequest(row)
    },
    insert(row) {
      const { requestId, accountId, status, acceptedAt } = row
      insert.run(requestId, accountId, status, acceptedAt, writeDocument(row))
    },
    update: (row) => void update.run(row.status, writeDocument(row), row.requestId),
    remove: (requestId) => void remove.run(requestId),
  }
}

export function readRequest(row: StoredRequest): RequestState {
  return {
    requestId: row.request_id,
    accountId: row.account_id,
    status: row.status,
    acceptedAt: row.accepted_at,
    ...readDocument(row.document, row.account_id),
  }
}
