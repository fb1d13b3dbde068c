import type { DatabaseSync } from 'node:sqlite'
import { accountStream } from '@svc/contracts/events/account'
import { select } from '../../projection/select.ts'
import type { EventPlace } from '../event-places/queries.ts'
import type { RunningPage, RunningQuery, RunningRequestRow } from '../rows/request-rows.ts'
import type { RequestPlaces } from './project.ts'
import { readPlace, SELECT_PLACE, type StoredPlace } from './tables.ts'

export interface RequestsQueries {
  /** Where the events of the request are. */
  place(requestId: string): RequestPlaces | undefined
  /** Where a refund stands, by its own id. */
  refundPlace(refundId: string): EventPlace | undefined
  /** The last request that came with an Idempotency-Key. */
  requestOfKey(accountId: string, keyHash: string): string | undefined
  /** Requests without an end, those with the earliest deadline first. */
  runningRequests(query: RunningQuery): RunningPage
}

// CROSS has the requests of the page looked up among all, and never the other way round, which is
// what SQLite chooses by itself: a second of the loop for each ten millions, at each sweep.
const RUNNING = `
  SELECT request_id AS requestId, account_id AS accountId, gateway_id AS gatewayId, deadline
  FROM (
    SELECT * FROM running WHERE (deadline, request_id) > (:afterDeadline, :afterId)
    ORDER BY deadline, request_id LIMIT :limit
  ) CROSS JOIN requests USING (request_id) ORDER BY deadline, request_id`

export function requestsQueries(database: DatabaseSync): RequestsQueries {
  const one = select<StoredPlace>(database, SELECT_PLACE)
  const refundsOf = select<{ revision: number }>(
    database,
    'SELECT revision FROM refunds WHERE request_id = ? ORDER BY revision',
  )
  const refund = select<{ account_id: string; revision: number }>(
    database,
    'SELECT account_id, revision FROM refunds JOIN requests USING (request_id) WHERE refund_id = ?',
  )
  const ofKey = select<{ request_id: string }>(
    database,
    'SELECT request_id FROM idempotency_keys WHERE account_id = ? AND key_hash = ?',
  )
  const running = select<RunningRequestRow>(database, RUNNING)
  return {
    place(requestId) {
      const row = one.get(requestId)
      if (row === undefined) return undefined
      const refunds = refundsOf.all(requestId)
      return { ...readPlace(row), refunds: refunds.map(({ revision }) => revision) }
    },
    refundPlace(refundId) {
      const row = refund.get(refundId)
      return row && { stream: accountStream(row.account_id), revision: row.revision }
    },
    requestOfKey(accountId, keyHash) {
      return ofKey.get(accountId, keyHash)?.request_id
    },
    runningRequests({ after, limit }) {
      const afterDeadline = after?.deadline ?? Number.MIN_SAFE_INTEGER
      const rows = running.all({ afterDeadline, afterId: after?.requestId ?? '', limit })
      const last = rows.length < limit ? undefined : rows.at(-1)
      return { rows, next: last && { deadline: last.deadline, requestId: last.requestId } }
    },
  }
}
