import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { describeEventStore } from '../compliance.suite.ts'
import { openSqliteEventStore } from './sqlite-event-store.ts'

describeEventStore('SQLite', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'ledger.db')
  return {
    async open() {
      return openSqliteEventStore(path, {
        onFatal: (error) => {
          throw error
        },
      })
    },
    async tamper(stream, revision) {
      const database = new DatabaseSync(path)
      database
        .prepare(
          `UPDATE event SET data = '{"amount":"0"}' WHERE revision = ?
           AND stream_id = (SELECT id FROM stream WHERE name = ?)`,
        )
        .run(revision, stream)
      database.close()
    },
    remove: async () => {},
  }
})
