/**
 * Moves a ledger and says what was moved, for tests that kill it: other gateways get no time to
 * notice, because there are none.
 *
 *     node tests/migration/move-program.ts FOLDER eventstoredb|sqlite URL [PREFIX]
 */
import { crashPointsFromPlan } from '@svc/infra/system/crash-points'
import { systemTimer } from '@svc/infra/system/system-timer'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { moveLedger } from '@svc/server/migration/ledger-move'

const [path = '', to, url = '', streamPrefix = 'svc.'] = process.argv.slice(2)

const counts = await moveLedger({
  folder: new DataFolder(path),
  to: to === 'sqlite' ? 'sqlite' : 'eventstoredb',
  server: { kind: 'eventstoredb', url, streamPrefix, readyWithinMs: 30_000 },
  timer: systemTimer,
  reach: crashPointsFromPlan(process.env.SVC_CRASH_POINT),
  warn: (warning) => void process.stderr.write(`${warning}\n`),
  report: () => {},
  signal: new AbortController().signal,
  gatewaysNoticeMs: 0,
})
process.stdout.write(`${JSON.stringify(counts)}\n`)
