import type { Projection } from '../../projection/projection.ts'
import { NumberedTuples } from '../numbered-tuples.ts'
import { projectorOf } from '../row-parts.ts'
import { TouchedRows } from '../touched-rows.ts'
import { type NewEntry, projectStatement } from './project.ts'
import { statementSchema } from './schema.ts'
import { giftsTable, headsTable, keyNamesTable, NewEntries, runningTable } from './tables.ts'

/** How many busy accounts and keys stay in memory: about 3 MB. */
const HEADS_KEPT = 10_000
const KEY_NAMES_KEPT = 10_000
const GRANTS_KEPT = 10_000

export const statementProjection: Projection = {
  name: 'statement',
  version: 4,
  schema: statementSchema,
  tables: [
    { name: 'entries', key: ['number'] },
    { name: 'heads', key: ['account_id'] },
    { name: 'running', key: ['request_id'] },
    { name: 'key_names', key: ['key_id'] },
    { name: 'terms', key: ['number'] },
    { name: 'gifts', key: ['grant_id'] },
  ],
  projector(database) {
    const entries = new NewEntries(database)
    const heads = new TouchedRows(headsTable(database), HEADS_KEPT)
    const running = new TouchedRows(runningTable(database), 0)
    const keyNames = new TouchedRows(keyNamesTable(database), KEY_NAMES_KEPT)
    const gifts = new TouchedRows(giftsTable(database), GRANTS_KEPT)
    const terms = new NumberedTuples(database, 'terms', [
      ...['key_id', 'model', 'format', 'price_version'],
    ])
    const addEntry = (entry: NewEntry) => entries.add(entry)
    const rows = { heads, running, keyNames, gifts, terms, addEntry }
    const parts = { passing: [entries, running, terms], kept: [heads, keyNames, gifts] }
    return projectorOf(parts, (event) => projectStatement(rows, event))
  },
}
