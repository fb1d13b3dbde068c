import type { Projection } from '../../projection.ts'
import { TouchedRows } from '../../touched-rows.ts'
import { projectRequests } from './project.ts'
import { requestsSchema } from './schema.ts'
import { requestsTable } from './tables.ts'

export const requestsProjection: Projection = {
  name: 'requests',
  version: 1,
  schema: requestsSchema,
  tables: [
    { name: 'requests', key: ['request_id'] },
    { name: 'running', key: ['request_id'] },
  ],
  projector(database) {
    const requests = new TouchedRows(requestsTable(database), 0)
    return {
      fold(events) {
        for (const event of events) projectRequests(requests, event)
      },
      flush: () => requests.flush(),
      forget: () => requests.clear(),
    }
  },
}
