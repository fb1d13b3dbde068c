/** A pool with scripted workers behind it, for one test. */
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PrefixIndex } from '@svc/contracts/ports/prefix-index'
import type { Timer } from '@svc/contracts/ports/time'
import { systemTimer } from '@svc/infra/system/system-timer'
import { ScriptedWorker, type ScriptedWorkerOptions } from '@svc/testing/scripted-worker'
import { expect, onTestFinished } from 'vitest'
import {
  createWorkerPool,
  type Lease,
  type WorkerConfiguration,
  type WorkerPool,
} from '../src/routing/worker-pool.ts'

/** Workers are looked at every second. */
export const SOON = { timeout: 5_000, interval: 10 }
/** Whose requests they are. */
export const tenant = 'acct_of_the_pool'
/** Of every scripted worker that is not told otherwise. */
export const fingerprint = 'scripted-fingerprint'

/** It listens, and ends with the test. */
export async function startWorker(
  workerId: string,
  options: Partial<ScriptedWorkerOptions> = {},
): Promise<ScriptedWorker> {
  const socketPath = join(tmpdir(), `svc-pool-${randomUUID()}.sock`)
  const worker = new ScriptedWorker({ socketPath, workerId, ...options })
  await worker.listen()
  onTestFinished(() => worker.close())
  return worker
}

export function configurationOf({ workerId, socketPath }: ScriptedWorker): WorkerConfiguration {
  return { workerId, address: { kind: 'unix', path: socketPath } }
}

interface PoolOptions {
  readonly index?: PrefixIndex
  readonly timer?: Timer
  readonly shareProcessors?: boolean
}

/** A pool that has seen the state of all of them; it ends with the test. */
export async function poolOf(
  workers: readonly ScriptedWorker[],
  { timer = systemTimer, ...options }: PoolOptions = {},
): Promise<WorkerPool> {
  const pool = createWorkerPool({ workers: workers.map(configurationOf), timer, ...options })
  onTestFinished(() => pool.close())
  await expect.poll(() => pool.workers.every(({ health }) => health !== undefined), SOON).toBe(true)
  return pool
}

/** Which worker was chosen. */
export async function nameOf(lease: Promise<Lease>): Promise<string> {
  return (await lease).worker.workerId
}
