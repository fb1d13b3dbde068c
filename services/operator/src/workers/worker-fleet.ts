/** Port: the workers as operators see them, whatever requests do with them; the pool is one. */
import { ServiceError } from '@svc/contracts/errors'
import type { WorkerAddress } from '@svc/contracts/worker/address'
import type { WorkerFailure } from '@svc/contracts/worker/failure'
import type { AuditResponse, HealthResponse, StateResponse } from '@svc/contracts/worker/protocol'
import { inTime } from '@svc/infra/system/system-timer'

/** Longer than a healthy worker ever takes, shorter than whoever asks waits. */
export const STATE_TIMEOUT_MS = 3_000

export interface FleetWorker {
  readonly workerId: string
  /** The address for people, without the worker's secret. */
  readonly address: string
  /** The worker's last health; undefined while it gives no answer. */
  readonly health: HealthResponse | undefined
  /** Generations of this gateway that run on it. */
  readonly running: number
  readonly ready: boolean
  /**
   * Whether it is about to stand aside, or to go: it takes only what no other can, and soon
   * nothing.
   */
  readonly leaving: boolean
  /** Why its last health call failed. */
  readonly problem: WorkerFailure | undefined
  readonly client: {
    state(): Promise<StateResponse>
    /** Has that many cached blocks computed again and compared. */
    audit(sample: number): Promise<AuditResponse>
  }
}

export interface NewWorker {
  readonly workerId: string
  readonly address: WorkerAddress
}

export interface WorkerFleet {
  readonly workers: readonly FleetWorker[]
  /** @throws {WorkerFailure} when there is no such worker, or it has not heard */
  drain(workerId: string, draining: boolean): Promise<HealthResponse>
  /** Resolves to it when it was asked how it is. @throws {Error} when the name is taken */
  add(worker: NewWorker): Promise<FleetWorker>
  /** Resolves when it gets nothing more. @throws {WorkerFailure} when there is no such worker */
  remove(workerId: string): Promise<void>
}

/** @throws {ServiceError} `not_found`, naming those that there are */
export function workerOf({ workers }: Pick<WorkerFleet, 'workers'>, workerId: string): FleetWorker {
  const worker = workers.find((each) => each.workerId === workerId)
  if (worker !== undefined) return worker
  const names = workers.map((each) => each.workerId).join(', ')
  const message = `There is no worker ${workerId}; there are: ${names}.`
  throw new ServiceError('not_found', message, { param: 'worker_id' })
}

/** Counts the workers that take requests now. */
export function readyWorkers({ workers }: Pick<WorkerFleet, 'workers'>): number {
  return workers.filter(({ ready, leaving }) => ready && !leaving).length
}

/** A worker with what it says of itself now. */
export interface WorkerSnapshot {
  readonly worker: FleetWorker
  /** Is undefined when the worker did not answer in time. */
  readonly state: StateResponse | undefined
}

/** Asks all of them at once, and waits a limited time for each. Never rejects. */
export function workerSnapshots({
  workers,
}: Pick<WorkerFleet, 'workers'>): Promise<readonly WorkerSnapshot[]> {
  return Promise.all(
    workers.map(async (worker) => ({
      worker,
      state: await inTime(worker.client.state(), STATE_TIMEOUT_MS, undefined),
    })),
  )
}
