/** The workers of a server: supervised child processes, or workers that run elsewhere. */

import type { PrefixIndex } from '@svc/contracts/ports/prefix-index'
import { workerAddress } from '@svc/contracts/worker/address'
import type { WorkerFailure } from '@svc/contracts/worker/failure'
import {
  createWorkerPool,
  type WorkerConfiguration,
  type WorkerPool,
} from '@svc/gateway/routing/worker-pool'
import { systemTimer } from '@svc/infra/system/system-timer'
import { checkModelFile } from '@svc/worker/engines/llama/model-file'
import { ModelFileRefused } from '@svc/worker/process/start-refused'
import type { Supervised } from '@svc/worker/supervision/supervisor'
import type { Logger } from 'pino'
import { SettingsError } from '../settings/parsed-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { openPrefixIndex } from './open-prefix-index.ts'
import { type ModelProgress, type SupervisedFleet, superviseFleet } from './supervised-fleet.ts'

/**
 * A remote worker that is loading a large model answers late; then the server serves without it.
 */
const REMOTE_READY_TIMEOUT_MS = 10_000

export interface InferenceWorkers {
  readonly pool: WorkerPool
  /** Resolves when a worker serves. @throws with one line when the model cannot be used */
  ready(): Promise<void>
  /** The process of a worker that this server has started itself. */
  supervised(workerId: string): Supervised | undefined
  /** Stops the workers, also before they are ready: then `ready` rejects. The first call counts. */
  stop(graceMs: number): Promise<void>
}

/**
 * @param cacheKey keys the names of cached blocks where no secret is set
 * @throws {SettingsError} when settings contradict each other, or name a model without a file
 */
export async function startInferenceWorkers(
  settings: Settings,
  cacheKey: string,
  logger: Logger,
  progress?: ModelProgress,
): Promise<InferenceWorkers> {
  const { SVC_WORKER_URLS: urls } = settings
  const remote = urls === undefined ? undefined : remoteWorkers(urls, settings)
  if (remote === undefined) await refuseMissingModel(settings)
  const index = await openPrefixIndex(settings, logger)
  const fleet =
    remote === undefined ? superviseFleet(settings, cacheKey, logger, progress) : undefined
  const shareProcessors = fleet !== undefined && settings.SVC_GPU === 'off'
  return workersOf(remote ?? fleet?.configurations ?? [], { fleet, index, logger, shareProcessors })
}

/** A worker would find it too, but tells no kind of error. @throws {SettingsError} */
async function refuseMissingModel({ SVC_MODEL }: Settings): Promise<void> {
  try {
    await checkModelFile(SVC_MODEL)
  } catch (error) {
    throw error instanceof ModelFileRefused ? new SettingsError(error.message) : error
  }
}

interface WorkersParts {
  /** The workers that the server starts itself, if it does. */
  readonly fleet: SupervisedFleet | undefined
  readonly index: PrefixIndex
  readonly logger: Logger
  readonly shareProcessors: boolean
}

function workersOf(
  workers: readonly WorkerConfiguration[],
  { fleet, index, logger, shareProcessors }: WorkersParts,
): InferenceWorkers {
  const supervised = (workerId: string) => fleet?.supervised(workerId)
  const pool = createWorkerPool({
    workers,
    timer: systemTimer,
    index,
    shareProcessors,
    onProblem(workerId, problem) {
      // The supervisor tells of the server's own workers.
      if (supervised(workerId) === undefined) tellProblem(logger, workerId, problem)
    },
  })
  const stop = async (graceMs: number) => {
    await pool.close()
    await Promise.all([fleet?.stop(graceMs), index.close()])
  }
  let stopped: Promise<void> | undefined
  return {
    pool,
    async ready() {
      await fleet?.ready()
      await pool.whenReady(REMOTE_READY_TIMEOUT_MS)
    },
    supervised,
    stop(graceMs) {
      stopped ??= stop(graceMs)
      return stopped
    },
  }
}

/** Stands in for workers in a process that runs no requests. */
export function noInferenceWorkers(): InferenceWorkers {
  const pool = createWorkerPool({ workers: [], timer: systemTimer })
  return { pool, ready: async () => {}, supervised: () => undefined, stop: () => pool.close() }
}

function tellProblem(logger: Logger, workerId: string, problem: WorkerFailure | undefined): void {
  if (problem === undefined) logger.warn({ workerId }, 'the worker answers')
  else logger.error({ workerId, err: problem }, whatToDo(problem))
}

function whatToDo({ code, message }: WorkerFailure): string {
  return code === 'unauthorized'
    ? 'the worker has another secret: set SVC_WORKER_SECRET to the same for both'
    : `the worker cannot be used: ${message}`
}

/** @throws {SettingsError} */
function remoteWorkers(
  urls: readonly string[],
  settings: Settings,
): readonly WorkerConfiguration[] {
  if (settings.SVC_WORKERS > 1 || settings.SVC_STANDBY_MODELS !== undefined) {
    const local = settings.SVC_WORKERS > 1 ? 'SVC_WORKERS' : 'SVC_STANDBY_MODELS'
    throw new SettingsError(`${local} starts workers here and SVC_WORKER_URLS none: unset one`)
  }
  return urls.map((url, index) => {
    const address = workerAddress(url, settings.SVC_WORKER_SECRET)
    if (address !== undefined) return { workerId: `worker-${index + 1}`, address }
    throw new SettingsError('SVC_WORKER_URLS needs SVC_WORKER_SECRET, which the workers share')
  })
}
