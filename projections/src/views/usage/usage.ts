import type { Projection } from '../../projection/projection.ts'
import { NumberedTuples } from '../numbered-tuples.ts'
import { projectorOf } from '../row-parts.ts'
import { TouchedRows } from '../touched-rows.ts'
import { AccountClocks } from './account-clocks.ts'
import { accountUsageTable } from './account-usage.ts'
import { EndedTotals } from './ended-totals.ts'
import { projectUsage } from './project.ts'
import { usageSchema } from './schema.ts'
import {
  EndedRequests,
  keysTable,
  movementsTable,
  runningSeriesTable,
  usageTable,
} from './tables.ts'
import { Totals } from './totals.ts'

/** How many busy series and accounts stay in memory: about 10 MB. */
const SERIES_KEPT = 10_000
const ACCOUNTS_KEPT = 10_000
const KEYS_KEPT = 1_000

export const usageProjection: Projection = {
  name: 'usage',
  version: 5,
  schema: usageSchema,
  tables: [
    { name: 'series', key: ['number'] },
    { name: 'usage', key: ['series', 'quarter'] },
    { name: 'account_usage', key: ['account_id', 'quarter'] },
    { name: 'movements', key: ['account_id', 'quarter'] },
    { name: 'keys', key: ['key_id'] },
    { name: 'running', key: ['request_id'] },
    { name: 'ended', key: ['series', 'status', 'request_id'] },
    { name: 'ended_totals', key: ['list', 'quarter'] },
  ],
  projector(database) {
    const series = new NumberedTuples(database, 'series', [
      'account_id',
      'key_id',
      'model',
      'format',
    ])
    const usage = new Totals(usageTable(database), SERIES_KEPT)
    const accountUsage = new Totals(accountUsageTable(database), ACCOUNTS_KEPT)
    const movements = new Totals(movementsTable(database), ACCOUNTS_KEPT)
    const keys = new TouchedRows(keysTable(database), KEYS_KEPT)
    const running = new TouchedRows(runningSeriesTable(database), 0)
    const ended = new EndedRequests(database)
    const endedTotals = new EndedTotals(database)
    const clocks = new AccountClocks(database)
    const advance = (accountId: string, at: number) => clocks.advance(accountId, at)
    const lists = { running, ended, endedTotals }
    const rows = { series, usage, accountUsage, movements, keys, ...lists, advance }
    const parts = {
      passing: [series, running, ended],
      // The clocks last: what they forget is in the tables then.
      kept: [usage, accountUsage, endedTotals, movements, keys, clocks],
    }
    return projectorOf(parts, (event) => projectUsage(rows, event))
  },
}
