import type { Projection } from '../../projection/projection.ts'
import { projectorOf } from '../row-parts.ts'
import { TouchedRows } from '../touched-rows.ts'
import { erasuresTable } from './erasures.ts'
import { projectAccounts } from './project.ts'
import { accountsSchema } from './schema.ts'
import { accountsTable, grantsTable, holdsTable, pricesTable } from './tables.ts'

/** How many busy accounts and grants of theirs stay in memory: about 3 MB each. */
const ACCOUNTS_KEPT = 10_000
const GRANTS_KEPT = 10_000

export const accountsProjection: Projection = {
  name: 'accounts',
  version: 5,
  schema: accountsSchema,
  tables: [
    { name: 'accounts', key: ['account_id'] },
    { name: 'holds', key: ['request_id'] },
    { name: 'grants', key: ['grant_id'] },
    { name: 'prices', key: ['revision'] },
    { name: 'erasures', key: ['subject'] },
  ],
  projector(database) {
    const accounts = new TouchedRows(accountsTable(database), ACCOUNTS_KEPT)
    const holds = new TouchedRows(holdsTable(database), 0)
    const grants = new TouchedRows(grantsTable(database), GRANTS_KEPT)
    const prices = new TouchedRows(pricesTable(database), 0)
    const erasures = new TouchedRows(erasuresTable(database), 0)
    const rows = { accounts, holds, grants, prices, erasures }
    const parts = { passing: [holds, prices, erasures], kept: [accounts, grants] }
    return projectorOf(parts, (event) => projectAccounts(rows, event))
  },
}
