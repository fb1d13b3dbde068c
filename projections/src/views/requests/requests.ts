import type { Projection } from '../../projection/projection.ts'
import { projectorOf } from '../row-parts.ts'
import { TouchedRows } from '../touched-rows.ts'
import { projectRequests } from './project.ts'
import { requestsSchema } from './schema.ts'
import { RefundRows, requestsTable, UsedKeyRows } from './tables.ts'

export const requestsProjection: Projection = {
  name: 'requests',
  version: 4,
  schema: requestsSchema,
  tables: [
    { name: 'requests', key: ['request_id'] },
    { name: 'running', key: ['request_id'] },
    { name: 'refunds', key: ['request_id', 'revision'] },
    { name: 'idempotency_keys', key: ['account_id', 'key_hash'] },
  ],
  projector(database) {
    const requests = new TouchedRows(requestsTable(database), 0)
    const keys = new UsedKeyRows(database)
    const refunds = new RefundRows(database)
    const rows = { requests, keys, refunds }
    const parts = { passing: [requests, keys, refunds], kept: [] }
    return projectorOf(parts, (event) => projectRequests(rows, event))
  },
}
