/**
 * The operations by which an operator asks the workers of a running server, and tells them what to
 * do.
 */

import type { OperationHandlers, OperationInput } from '@svc/contracts/admin/operations'
import type { AuditedWorker, AuditResult, DrainedWorker } from '@svc/contracts/admin/workers'
import { ServiceError } from '@svc/contracts/errors'
import { asWorkerFailure, overloaded } from '@svc/contracts/worker/failure'
import { workerDetails } from './worker-details.ts'
import {
  type FleetWorker,
  readyWorkers,
  type WorkerFleet,
  workerOf,
  workerSnapshots,
} from './worker-fleet.ts'
import { addWorker, removeWorker } from './worker-membership.ts'
import type { WorkerSources } from './worker-summary.ts'

export interface WorkerPorts extends WorkerSources {
  /** Only a running server has workers. */
  readonly fleet?: WorkerFleet
  /** The secret that workers on TCP expect of the server. */
  readonly workerSecret?: string | undefined
}

export function workerOperations(
  ports: WorkerPorts,
): Pick<
  OperationHandlers,
  'listWorkers' | 'drainWorker' | 'addWorker' | 'removeWorker' | 'auditCache'
> {
  const { supervised = () => undefined, workerSecret } = ports
  return {
    async listWorkers() {
      const snapshots = await workerSnapshots(runningFleet(ports))
      return snapshots.map((snapshot) =>
        workerDetails(snapshot, supervised(snapshot.worker.workerId)),
      )
    },
    drainWorker: (input) => drain(ports, input),
    addWorker: async (input) => addWorker(runningFleet(ports), input, workerSecret),
    removeWorker: async ({ worker_id: workerId }) =>
      removeWorker(runningFleet(ports), workerId, (id) => supervised(id) !== undefined),
    async *auditCache({ sample }) {
      yield* audit(runningFleet(ports), sample)
    },
  }
}

/** @throws {ServiceError} when this is the folder of a server that is stopped */
function runningFleet({ fleet }: WorkerPorts): WorkerFleet {
  if (fleet !== undefined) return fleet
  const message = 'This needs a running server, because workers run with it, and none runs here.'
  throw new ServiceError('server_not_running', message)
}

async function drain(
  ports: WorkerPorts,
  { worker_id: workerId, draining }: OperationInput<'drainWorker'>,
): Promise<DrainedWorker> {
  const fleet = runningFleet(ports)
  workerOf(fleet, workerId)
  try {
    const { status } = await fleet.drain(workerId, draining)
    return { worker_id: workerId, status, ready_workers: readyWorkers(fleet) }
  } catch (cause) {
    const { code, message } = asWorkerFailure(cause)
    const kind = code === 'unreachable' ? 'server_is_overloaded' : 'worker_failed'
    throw new ServiceError(kind, `${workerId}: ${message}`, { cause })
  }
}

/** Audits one worker after the other, so that the others serve at their full speed meanwhile. */
async function* audit(
  { workers }: WorkerFleet,
  sample: number,
): AsyncGenerator<AuditedWorker | AuditResult> {
  const ready = workers.filter((worker) => worker.ready)
  if (ready.length === 0) throw overloaded('No inference worker is ready.')
  let result = emptyResult
  for (const worker of ready) {
    const audited = await auditWorker(worker, sample)
    result = withWorker(result, audited)
    yield audited
  }
  yield result
}

const nothing = { checked: { l1: 0, l2: 0 }, gone: 0, problem: null }
const emptyResult: AuditResult = {
  type: 'result',
  compared: 0,
  unanswered: 0,
  checked: nothing.checked,
  gone: 0,
  differing: 0,
}

async function auditWorker(
  { workerId, client, health }: FleetWorker,
  sample: number,
): Promise<AuditedWorker> {
  const audited = { type: 'worker' as const, worker_id: workerId, ...nothing, differing: [] }
  if (health?.cache.mode === 'off') return { ...audited, outcome: 'cache-off' }
  try {
    const { checked, gone, differing } = await client.audit(sample)
    return { ...audited, outcome: 'compared', checked, gone, differing }
  } catch (cause) {
    return { ...audited, outcome: 'unanswered', problem: asWorkerFailure(cause).message }
  }
}

function withWorker(sum: AuditResult, worker: AuditedWorker): AuditResult {
  return {
    ...sum,
    compared: sum.compared + (worker.outcome === 'compared' ? 1 : 0),
    unanswered: sum.unanswered + (worker.outcome === 'unanswered' ? 1 : 0),
    checked: {
      l1: sum.checked.l1 + worker.checked.l1,
      l2: sum.checked.l2 + worker.checked.l2,
    },
    gone: sum.gone + worker.gone,
    differing: sum.differing + worker.differing.length,
  }
}
