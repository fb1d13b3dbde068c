/**
 * Follows the log of a folder and kills its own process just before a commit. For the kill test.
 */
import { join } from 'node:path'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { systemTimer } from '@svc/infra/system/system-timer'
import { openProjections } from '../src/open-projections.ts'

const [, , folder = '', commits = '1'] = process.argv
const LIMIT_MS = 30_000
let left = Number(commits)

const store = openSqliteEventStore(join(folder, 'ledger.db'), {
  onFatal: (error) => {
    throw error
  },
})
const views = await openProjections({
  folder: join(folder, 'views'),
  store,
  timer: systemTimer,
  keepFile: durableFile,
  log: { info: () => {}, warn: () => {}, error: () => {} },
  reach(point) {
    if (point !== 'view.before-commit') return
    left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
  },
})
views.start()
await views.reached(await store.lastPosition(), LIMIT_MS)
