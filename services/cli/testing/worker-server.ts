/** A server's admin routes, with scripted workers behind them. */
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Operations } from '@svc/contracts/admin/operations'
import { createWorkerPool, type WorkerPool } from '@svc/gateway/routing/worker-pool'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { SharedPace } from '@svc/infra/system/shared-pace'
import { systemClock } from '@svc/infra/system/system-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import {
  createLocalOperations,
  type LocalOperations,
} from '@svc/operator/operations/local-operations'
import { openProjections } from '@svc/projections/open-projections'
import { startAdminServer } from '@svc/testing/admin-server'
import { openRunningLedger } from '@svc/testing/ledger/running-ledger'
import { type Ran, type Surroundings, svc } from '@svc/testing/run-svc'
import { ScriptedWorker } from '@svc/testing/scripted-worker'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { pino } from 'pino'
import { expect, onTestFinished } from 'vitest'

const TOKEN = 'token of the operator'
const WORKER_SECRET = 'what gateway and worker share'

export interface WorkerServer {
  readonly workers: readonly [ScriptedWorker, ScriptedWorker]
  readonly pool: WorkerPool
  readonly operations: Operations
  /** `svc --url` of this server. */
  svc(args: readonly string[], around?: Surroundings): Promise<Ran>
}

/** Ends with the test. It says that it has started worker-1 itself. */
export async function workerServer(
  { workerSecret }: { readonly workerSecret: string | undefined } = { workerSecret: WORKER_SECRET },
): Promise<WorkerServer> {
  const workers = [await scriptedWorker('worker-1'), await scriptedWorker('worker-2')] as const
  const pool = createWorkerPool({
    timer: systemTimer,
    workers: workers.map(({ socketPath: path }, index) => ({
      workerId: `worker-${index + 1}`,
      address: { kind: 'unix', path },
    })),
  })
  onTestFinished(() => pool.close())
  await expect.poll(() => pool.workers.every(({ ready }) => ready)).toBe(true)
  const operations = await operationsOf({
    workers: () =>
      pool.workers.map(({ workerId }) => ({
        worker_id: workerId,
        status: 'ready',
        model_name: 'scripted',
        toy: true,
        restarts: 1,
      })),
    fleet: pool,
    supervises: (workerId) => workerId === 'worker-1',
    workerSecret,
  })
  const { baseUrl, close } = await startAdminServer({ operations, operatorToken: TOKEN })
  onTestFinished(close)
  const environment = { SVC_OPERATOR_TOKEN: TOKEN }
  return {
    workers,
    pool,
    operations,
    svc: (args, around) => svc(['--url', baseUrl, ...args], { environment, ...around }),
  }
}

/** On an empty event log, in memory. */
async function operationsOf(
  ports: Pick<LocalOperations, 'workers' | 'fleet' | 'supervises' | 'workerSecret'>,
): Promise<Operations> {
  const store = new MemoryEventStore()
  const { ledger } = await openRunningLedger(store)
  const pace = new SharedPace()
  const dataDir = temporaryFolder()
  const log = pino({ level: 'silent' })
  const projections = await openProjections({
    ...{ folder: join(dataDir, 'views'), store, timer: systemTimer, log, pace },
  })
  projections.start()
  onTestFinished(async () => {
    await ledger.close()
    await projections.close()
    await store.close()
  })
  return createLocalOperations({
    ...ports,
    ...{ ledger, projections, store, pace, clock: systemClock },
    information: {
      ...{ version: 'test', mode: 'running', baseUrl: null, dataDir, storeKind: 'memory' },
    },
  })
}

async function scriptedWorker(workerId: string): Promise<ScriptedWorker> {
  const socketPath = join(tmpdir(), `svc-cli-${randomUUID()}.sock`)
  const worker = new ScriptedWorker({ socketPath, workerId })
  await worker.listen()
  onTestFinished(() => worker.close())
  return worker
}
