import type { Projection } from '../../projection/projection.ts'
import { TouchedRows } from '../touched-rows.ts'
import { projectRequests } from './project.ts'
import { requestsSchema } from './schema.ts'
import { requestsTable, UsedKeyRows } from './tables.ts'

export const requestsProjection: Projection = {
  name: 'requests',
  version: 2,
  schema: requestsSchema,
  tables: [
    { name: 'requests', key: ['request_id'] },
    { name: 'running', key: ['request_id'] },
    { name: 'idempotency_keys', key: ['account_id', 'key_hash'] },
  ],
  projector(database) {
    const requests = new TouchedRows(requestsTable(database), 0)
    const keys = new UsedKeyRows(database)
    return {
      fold(events) {
        for (const event of events) projectRequests({ requests, keys }, event)
      },
      flush() {
        requests.flush()
        keys.flush()
      },
      forget() {
        requests.clear()
        keys.clear()
      },
    }
  },
}
