/** A worker in one line, from memory: no worker is asked. */
import type { WorkerSummary } from '@svc/contracts/admin/workers'
import type { FleetWorker, WorkerFleet } from './worker-fleet.ts'

/** The process of a worker that the server itself has started. */
export interface SupervisedProcess {
  /** Is shown while the worker gives no answer. */
  readonly state: string
  /** Starts after the first one. */
  readonly restarts: number
}

export interface WorkerSources {
  /** Only a running server has workers. */
  readonly fleet?: Pick<WorkerFleet, 'workers'>
  /** The process of a worker, by its name; undefined for one that was started elsewhere. */
  readonly supervised?: (workerId: string) => SupervisedProcess | undefined
}

export function workerSummaries({ fleet, supervised }: WorkerSources): readonly WorkerSummary[] {
  return fleet?.workers.map((worker) => workerSummary(worker, supervised?.(worker.workerId))) ?? []
}

export function workerSummary(
  worker: FleetWorker,
  supervised: SupervisedProcess | undefined,
): WorkerSummary {
  const { workerId, health, leaving } = worker
  return {
    worker_id: workerId,
    status: leaving ? 'leaving' : (health?.status ?? supervised?.state ?? 'unreachable'),
    model_name: health?.modelName ?? '',
    toy: health?.toy ?? false,
    restarts: supervised?.restarts ?? 0,
    problem: problemOf(worker),
  }
}

function problemOf({ problem, health }: FleetWorker): string | null {
  if (problem !== undefined) return problem.message
  if (health === undefined) return 'it does not answer'
  const { gpuProblem, cacheProblem } = health
  const unshared = cacheProblem && `prompts are cached by this worker alone: ${cacheProblem}`
  return [gpuProblem, unshared].filter((said) => said !== null).join('; ') || null
}
