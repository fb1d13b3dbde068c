/**
 * Workers that join and leave a running server by the operator's word.
 *
 * The server keeps a worker that joined until it ends: at its next start only the workers of its
 * settings are there. Nothing is sent to a worker that leaves, because other servers may use it: it
 * is drained, and removed from the fleet when its last request of this server ends.
 */

import type { OperationInput } from '@svc/contracts/admin/operations'
import type { AddedWorker, RemovedWorker } from '@svc/contracts/admin/workers'
import { ServiceError } from '@svc/contracts/errors'
import {
  isWorkerUrl,
  WORKER_URL_FORM,
  type WorkerAddress,
  workerAddress,
} from '@svc/contracts/worker/address'
import { type FleetWorker, readyWorkers, type WorkerFleet, workerOf } from './worker-fleet.ts'

/** A script that makes more has gone wrong: each worker is watched all the time. */
const WORKERS_MAX = 256

/**
 * @param secret of workers on TCP
 * @throws {ServiceError} `invalid_value` for a bad address, `conflict` for one that is in the fleet
 */
export async function addWorker(
  fleet: WorkerFleet,
  { worker_id: workerId, url }: OperationInput<'addWorker'>,
  secret: string | undefined,
): Promise<AddedWorker> {
  const address = readAddress(url, secret)
  const { workers } = fleet
  const same = workers.find((worker) => worker.address === url)
  if (same !== undefined) {
    const isRepeat = workerId === null || workerId === same.workerId
    if (!isRepeat || same.leaving) throw conflict(`${same.workerId} is at ${url} already.`)
    return shown(fleet, same, false)
  }
  if (workers.length >= WORKERS_MAX) throw conflict(`There are ${WORKERS_MAX} workers already.`)
  const name = workerId ?? freeName(workers)
  if (workers.some((worker) => worker.workerId === name)) {
    throw conflict(`There is a worker ${name} already.`)
  }
  return shown(fleet, await fleet.add({ workerId: name, address }), true)
}

function shown(fleet: WorkerFleet, worker: FleetWorker, created: boolean): AddedWorker {
  const { workerId, address, health, problem } = worker
  return {
    worker_id: workerId,
    address,
    status: health?.status ?? 'unreachable',
    problem: problem?.message ?? null,
    created,
    ready_workers: readyWorkers(fleet),
  }
}

/**
 * @param supervises whether the server itself started that worker: it would start it again
 * @throws {ServiceError} `not_found`, or `conflict` for a worker of the server itself
 */
export async function removeWorker(
  fleet: WorkerFleet,
  workerId: string,
  supervises: (workerId: string) => boolean,
): Promise<RemovedWorker> {
  const worker = workerOf(fleet, workerId)
  if (supervises(workerId)) {
    const instead = `drain it instead: svc worker drain ${workerId}`
    throw conflict(`${workerId} was started by this server and ends with it; ${instead}`)
  }
  await fleet.remove(workerId)
  return {
    worker_id: workerId,
    status: fleet.workers.includes(worker) ? 'leaving' : 'removed',
    running: worker.running,
    ready_workers: readyWorkers(fleet),
  }
}

function readAddress(url: string, secret: string | undefined): WorkerAddress {
  if (!isWorkerUrl(url)) throw badUrl(WORKER_URL_FORM)
  const address = workerAddress(url, secret)
  if (address !== undefined) return address
  throw badUrl('the server has no SVC_WORKER_SECRET, which workers on TCP share with it')
}

/** The first one above the number of workers that none of them has. */
function freeName(workers: readonly FleetWorker[]): string {
  const names = new Set(workers.map(({ workerId }) => workerId))
  let number = workers.length + 1
  while (names.has(`worker-${number}`)) number += 1
  return `worker-${number}`
}

function badUrl(problem: string): ServiceError {
  return new ServiceError('invalid_value', `url: ${problem}`, { param: 'url' })
}

function conflict(message: string): ServiceError {
  return new ServiceError('conflict', message)
}
