import type { Projection } from '../../projection/projection.ts'
import { TouchedRows } from '../touched-rows.ts'
import { type NewEntry, projectStatement } from './project.ts'
import { statementSchema } from './schema.ts'
import { headsTable, keyNamesTable, NewEntries, runningTable } from './tables.ts'

/** Busy accounts and keys that stay in memory: about 3 MB. */
const HEADS_KEPT = 10_000
const KEY_NAMES_KEPT = 10_000

export const statementProjection: Projection = {
  name: 'statement',
  version: 3,
  schema: statementSchema,
  tables: [
    { name: 'entries', key: ['number'] },
    { name: 'heads', key: ['account_id'] },
    { name: 'running', key: ['request_id'] },
    { name: 'key_names', key: ['key_id'] },
  ],
  projector(database) {
    const entries = new NewEntries(database)
    const rows = {
      heads: new TouchedRows(headsTable(database), HEADS_KEPT),
      running: new TouchedRows(runningTable(database), 0),
      keyNames: new TouchedRows(keyNamesTable(database), KEY_NAMES_KEPT),
      addEntry: (entry: NewEntry) => entries.add(entry),
    }
    return {
      fold(events) {
        for (const event of events) projectStatement(rows, event)
      },
      flush() {
        entries.flush()
        rows.heads.flush()
        rows.running.flush()
        rows.keyNames.flush()
      },
      forget() {
        entries.clear()
        rows.heads.clear()
        rows.running.clear()
        rows.keyNames.clear()
      },
    }
  },
}
