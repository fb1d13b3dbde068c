/** A server's admin routes, with scripted workers behind them. */
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootCaller } from '@svc/contracts/admin/caller'
import type { Operations } from '@svc/contracts/admin/operations'
import { createWorkerPool, type WorkerPool } from '@svc/gateway/routing/worker-pool'
import { systemTimer } from '@svc/infra/system/system-timer'
import { startAdminServer } from '@svc/testing/admin-server'
import { type Ran, type Surroundings, svc } from '@svc/testing/run-svc'
import { openRunningService } from '@svc/testing/running-service'
import { ScriptedWorker } from '@svc/testing/scripted-worker'
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
  const { operationsOf } = await openRunningService({
    fleet: pool,
    supervised: (workerId) =>
      workerId === 'worker-1' ? { state: 'running', restarts: 1 } : undefined,
    workerSecret,
  })
  const operations = operationsOf(rootCaller)
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

async function scriptedWorker(workerId: string): Promise<ScriptedWorker> {
  const socketPath = join(tmpdir(), `svc-cli-${randomUUID()}.sock`)
  const worker = new ScriptedWorker({ socketPath, workerId })
  await worker.listen()
  onTestFinished(() => worker.close())
  return worker
}
