/**
 * The server process: ledger on SQLite, projections and gateway, put together as the composition
 * root does, on a worker that listens on a socket.
 *
 *     node server.ts DATA_FOLDER SOCKET_PATH [OPERATOR_TOKEN [no-evidence]]
 *
 * Prints its base URL when ready. At its end it leaves `settle-waits.json` in the folder: for how
 * many milliseconds each answer has waited until its debit was durable, and its cost known.
 */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { noCrashPoints } from '@svc/contracts/crash-points'
import { Users } from '@svc/identity/users/users'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { MemoryExpiringStore } from '@svc/infra/expiring-store/memory/memory-expiring-store'
import { openSqliteUserRecords } from '@svc/infra/people/sqlite-user-records'
import { MemoryRateLimits } from '@svc/infra/rate-limits/memory-rate-limits'
import { openSqliteRefusedRequests } from '@svc/infra/refused-requests/sqlite-refused-requests'
import { openSqliteSnapshotStore } from '@svc/infra/snapshot-store/sqlite/sqlite-snapshot-store'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { SharedPace } from '@svc/infra/system/shared-pace'
import { steadyClock } from '@svc/infra/system/steady-clock'
import { systemClock } from '@svc/infra/system/system-clock'
import { SystemIds } from '@svc/infra/system/system-ids'
import { systemTimer } from '@svc/infra/system/system-timer'
import { threadEnvironment } from '@svc/infra/system/thread-environment'
import { AesTextSeal } from '@svc/infra/text-seal/aes-text-seal'
import { openSqliteTextStore } from '@svc/infra/text-store/sqlite/sqlite-text-store'
import { createLedger } from '@svc/ledger/create-ledger'
import { AdminTokens } from '@svc/operator/access/admin-tokens'
import { AuditTrail } from '@svc/operator/access/audit-trail'
import { adminRoutes } from '@svc/operator/http/admin-routes'
import {
  createLocalOperations,
  type OperationPorts,
} from '@svc/operator/operations/local-operations'
import { RequestLog } from '@svc/operator/request-log/request-log'
import { projections as views } from '@svc/projections/followed-projections'
import { openProjections } from '@svc/projections/open-projections'
import { evidenceOn } from '@svc/testing/evidence-sources'
import { pino } from 'pino'
import { createGateway } from '../src/gateway.ts'
import { defaultHttpLimits } from '../src/http/limits.ts'
import { createWorkerPool } from '../src/routing/worker-pool.ts'

const WORKER_READY_TIMEOUT_MS = 10_000
const STOP_GRACE_MS = 5_000
const STANDARD_ERROR = 2
/** Six times as often as the product signs: a run of the benchmark takes seconds. */
const CHECKPOINT_EVERY_MS = 10_000

const [folder, socketPath, operatorToken = 'bench', part] = process.argv.slice(2)
if (folder === undefined || socketPath === undefined) throw new Error('DATA_FOLDER SOCKET_PATH')
const hasEvidence = part !== 'no-evidence'
if (!hasEvidence) {
  const evidenceView = views.find(({ name }) => name === 'evidence')
  Object.assign(evidenceView ?? {}, {
    projector: () => ({ fold() {}, writePassing() {}, flush: () => [], forget() {} }),
  })
}

const logger = pino({ level: 'warn', base: null }, pino.destination(STANDARD_ERROR))
const ids = new SystemIds(systemClock)
const onFatal = (error: unknown): never => {
  throw error
}
const store = openSqliteEventStore(join(folder, 'ledger.db'), { onFatal })
const snapshots = openSqliteSnapshotStore(join(folder, 'snapshots.db'))
const texts = openSqliteTextStore(join(folder, 'texts.db'), { onFatal })
const ledger = await createLedger({
  store,
  snapshots,
  texts,
  clock: systemClock,
  steadyClock,
  timer: systemTimer,
  ids,
  randomBytes,
  gatewayId: ids.next('gw'),
  reach: noCrashPoints,
})
const settleWaits: number[] = []
const settle = ledger.settle.bind(ledger)
ledger.settle = async (...asked) => {
  const startedAt = performance.now()
  const settled = await settle(...asked)
  settleWaits.push(performance.now() - startedAt)
  return settled
}
const pace = new SharedPace()
const viewsFolder = join(folder, 'views')
const projections = await openProjections({
  folder: viewsFolder,
  store,
  timer: systemTimer,
  keepFile: durableFile,
  log: logger,
  pace,
  threads: {
    count: Math.max(1, Math.min(availableParallelism() - 1, 3)),
    longEvents: 5_000,
    environment: threadEnvironment(),
  },
})
projections.start()

const workers = createWorkerPool({
  workers: [{ workerId: ids.next('wrk'), address: { kind: 'unix', path: socketPath } }],
  timer: systemTimer,
})
const accessPorts = { store, texts, clock: systemClock, timer: systemTimer, ids, randomBytes }
const adminTokens = new AdminTokens(accessPorts)
const refusedRequests = openSqliteRefusedRequests(join(folder, 'refusals.db'), {
  clock: systemClock,
  timer: systemTimer,
  onLost() {},
})
const evidence = evidenceOn(store, projections.views, projections.reached)
const signing = setInterval(() => {
  if (!hasEvidence) return
  // A tree that is still being built has no checkpoint yet: the next turn tries again.
  evidence.checkpoints.covering(projections.views.treeSize()).catch(() => {})
}, CHECKPOINT_EVERY_MS)
const auditTrail = new AuditTrail(accessPorts)
const operatorPorts: OperationPorts = {
  users: new Users(accessPorts),
  userRecords: openSqliteUserRecords(join(folder, 'users.db')),
  adminTokens,
  auditTrail,
  refusedRequests,
  ledger,
  projections,
  store,
  evidence,
  texts,
  pace,
  clock: systemClock,
  information: {
    version: 'bench',
    mode: 'running',
    baseUrl: null,
    dataDir: folder,
    storeKind: 'sqlite',
  },
}
const rateLimits = new MemoryRateLimits()
const gateway = createGateway({
  accounts: { ledger },
  history: {
    log: store,
    views: projections.views,
    viewsReached: projections.reached,
    evidence,
    texts,
    exportTrail: auditTrail,
  },
  inference: {
    workers,
    recordedAnswers: new MemoryExpiringStore(),
    storedResponses: new MemoryExpiringStore(),
    textSeal: new AesTextSeal('the secret of the benchmark'),
    requestObserver: new RequestLog({
      mode: 'errors',
      refusedRequests,
      clock: systemClock,
      log: logger,
    }),
  },
  people: {
    admin: adminRoutes({
      operationsOf: (caller) => createLocalOperations(operatorPorts, caller),
      operatorToken,
      adminTokens,
      rateLimits,
      badTokensPerMinute: defaultHttpLimits.badKeysPerMinute,
    }),
  },
  presence: { createdAt: 0, pageInformation: { version: 'bench', links: [] } },
  traffic: { limits: defaultHttpLimits, rateLimits, served: pace },
  process: { clock: systemClock, steadyClock, timer: systemTimer, logger, reach: noCrashPoints },
})
if (!(await workers.whenReady(WORKER_READY_TIMEOUT_MS))) throw new Error('no worker is ready')
const { port } = await gateway.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`http://127.0.0.1:${port}/v1\n`)

process.once('SIGTERM', async () => {
  clearInterval(signing)
  writeFileSync(join(folder, 'settle-waits.json'), JSON.stringify(settleWaits))
  await gateway.close({ graceMs: STOP_GRACE_MS })
  await workers.close()
  await ledger.close()
  await projections.close()
  snapshots.close()
  refusedRequests.close()
  await store.close()
  process.exit(0)
})
