import type { Projection } from '../../projection/projection.ts'
import { TouchedRows } from '../touched-rows.ts'
import { projectAccounts } from './project.ts'
import { accountsSchema } from './schema.ts'
import { accountsTable, holdsTable } from './tables.ts'

/** Busy accounts that stay in memory: about 3 MB. */
const ACCOUNTS_KEPT = 10_000

export const accountsProjection: Projection = {
  name: 'accounts',
  version: 2,
  schema: accountsSchema,
  tables: [
    { name: 'accounts', key: ['account_id'] },
    { name: 'holds', key: ['request_id'] },
  ],
  projector(database) {
    const accounts = new TouchedRows(accountsTable(database), ACCOUNTS_KEPT)
    const holds = new TouchedRows(holdsTable(database), 0)
    const rows = { accounts, holds }
    return {
      fold(events) {
        for (const event of events) projectAccounts(rows, event)
      },
      flush() {
        accounts.flush()
        holds.flush()
      },
      forget() {
        accounts.clear()
        holds.clear()
      },
    }
  },
}
