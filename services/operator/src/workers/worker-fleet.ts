/** The workers as operators see them, whatever requests do with them; the pool is one. */
import { ServiceError } from '@svc/contracts/errors'
import type { HealthAnswer, StateAnswer } from '@svc/contracts/worker/protocol'
import type { WorkerClient } from '@svc/gateway/routing/worker-client'
import type { PooledWorker, WorkerConfiguration } from '@svc/gateway/routing/worker-pool'
import { inTime } from '@svc/infra/system/in-time'

/** Longer than a healthy worker ever takes, shorter than whoever asks waits. */
export const STATE_TIMEOUT_MS = 3_000

type ShownWorker = Pick<
  PooledWorker,
  'workerId' | 'address' | 'health' | 'running' | 'ready' | 'leaving' | 'problem'
>

export interface FleetWorker extends ShownWorker {
  readonly client: Pick<WorkerClient, 'state' | 'audit'>
}

export interface WorkerFleet {
  readonly workers: readonly FleetWorker[]
  /** @throws {WorkerFailure} when there is no such worker, or it has not heard */
  drain(workerId: string, draining: boolean): Promise<HealthAnswer>
  /** Resolves to it when it was asked how it is. @throws {Error} when the name is taken */
  add(configuration: WorkerConfiguration): Promise<FleetWorker>
  /** Resolves when it gets nothing more. @throws {WorkerFailure} when there is no such worker */
  remove(workerId: string): Promise<void>
}

/** @throws {ServiceError} `not_found`, naming those that there are */
export function workerOf({ workers }: Pick<WorkerFleet, 'workers'>, workerId: string): FleetWorker {
  const worker = workers.find((each) => each.workerId === workerId)
  if (worker !== undefined) return worker
  const names = workers.map((each) => each.workerId).join(', ')
  throw new ServiceError('not_found', `There is no worker ${workerId}; there are: ${names}.`)
}

/** How many take requests now. */
export function readyWorkers({ workers }: Pick<WorkerFleet, 'workers'>): number {
  return workers.filter(({ ready, leaving }) => ready && !leaving).length
}

/** A worker with what it says of itself now. */
export interface WorkerSnapshot {
  readonly worker: FleetWorker
  /** Undefined when it did not answer in time. */
  readonly state: StateAnswer | undefined
}

/** Asks all of them at once. Takes at most so long, and never rejects. */
export function workerSnapshots(
  { workers }: Pick<WorkerFleet, 'workers'>,
  timeoutMs = STATE_TIMEOUT_MS,
): Promise<readonly WorkerSnapshot[]> {
  return Promise.all(
    workers.map(async (worker) => ({
      worker,
      state: await inTime(worker.client.state(), timeoutMs, undefined),
    })),
  )
}
