import type { Projection } from '../../projection.ts'
import { TouchedRows } from '../../touched-rows.ts'
import { projectStatement } from './project.ts'
import { statementSchema } from './schema.ts'
import { entryInserter, headsTable, keyNamesTable, runningTable } from './tables.ts'

/** Busy accounts and keys that stay in memory: about 3 MB. */
const HEADS_KEPT = 10_000
const KEY_NAMES_KEPT = 10_000

export const statementProjection: Projection = {
  name: 'statement',
  version: 1,
  schema: statementSchema,
  tables: [
    { name: 'entries', key: ['number'] },
    { name: 'running', key: ['request_id'] },
    { name: 'key_names', key: ['key_id'] },
  ],
  projector(database) {
    const rows = {
      heads: new TouchedRows(headsTable(database), HEADS_KEPT),
      running: new TouchedRows(runningTable(database), 0),
      keyNames: new TouchedRows(keyNamesTable(database), KEY_NAMES_KEPT),
      addEntry: entryInserter(database),
    }
    return {
      apply(events) {
        for (const event of events) projectStatement(rows, event)
        rows.heads.flush()
        rows.running.flush()
        rows.keyNames.flush()
      },
      forget() {
        rows.heads.clear()
        rows.running.clear()
        rows.keyNames.clear()
      },
    }
  },
}
