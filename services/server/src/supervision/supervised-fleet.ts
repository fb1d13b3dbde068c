/**
 * The workers that a server starts itself, each a supervised child process.
 *
 * The server is ready when the first of those that serve is: the others join when their model is
 * loaded. The server logs a worker that fails its first start and goes on without it; it fails
 * itself only when every worker that was to serve has failed.
 */
import { availableParallelism } from 'node:os'
import type { WorkerConfiguration } from '@svc/gateway/routing/worker-pool'
import { type Supervised, superviseWorker } from '@svc/worker/supervision/supervisor'
import type { Logger } from 'pino'
import type { Settings } from '../settings/settings.ts'
import { type LocalWorker, localWorkersOf, workerEnvironment } from './local-workers.ts'

/** Shows how far workers are with loading their models. */
export interface ModelProgress {
  /** @returns whether the fields of the log line were of progress, which is shown now */
  show(workerId: string | undefined, message: string, fields?: object): boolean
  /** Before something else is written there. */
  clear(): void
}

/** Progress is a line of the log like any other. */
const progressInLog: ModelProgress = { show: () => false, clear: () => {} }

export interface SupervisedFleet {
  readonly configurations: readonly WorkerConfiguration[]
  /** Resolves when one serves. @throws with one line when all that were to serve have failed */
  ready(): Promise<void>
  supervised(workerId: string): Supervised | undefined
  stop(graceMs: number): Promise<void>
}

interface FleetMember extends LocalWorker {
  readonly supervised: Supervised
}

/** @param cacheKey keys the names of cached blocks where no secret is set */
export function superviseFleet(
  settings: Settings,
  cacheKey: string,
  logger: Logger,
  progress: ModelProgress = progressInLog,
): SupervisedFleet {
  const members = localWorkersOf(settings).map((worker): FleetMember => {
    return { ...worker, supervised: supervise(worker, settings, cacheKey, logger, progress) }
  })
  const serving = members.filter(({ drained }) => !drained)
  let stopping = false
  const tellFailures = () => {
    for (const { supervised, workerId } of members) {
      supervised.ready().catch((error: Error) => {
        if (stopping) return
        const reason = error.message
        logger.error({ workerId, reason }, 'worker failed to start, continuing without it')
      })
    }
  }
  return {
    configurations: members.map(({ workerId, supervised }) => ({
      workerId,
      address: { kind: 'unix', path: supervised.address.socketPath },
    })),
    async ready() {
      await firstReady(serving).finally(() => progress.clear())
      tellFailures()
    },
    supervised: (workerId) => members.find((each) => each.workerId === workerId)?.supervised,
    async stop(graceMs) {
      stopping = true
      await Promise.all(members.map(({ supervised }) => supervised.stop(graceMs)))
    },
  }
}

function supervise(
  worker: LocalWorker,
  settings: Settings,
  cacheKey: string,
  logger: Logger,
  progress: ModelProgress,
): Supervised {
  const { workerId } = worker
  let served = false
  const supervised = superviseWorker({
    workerId,
    modelArguments: worker.drained ? ['--drained'] : [],
    env: workerEnvironment(settings, worker, cacheKey, availableParallelism()),
    // The caller reports a failed first start once, in one line.
    log(level, message, fields) {
      if (progress.show(workerId, message, fields)) return
      progress.clear()
      if (served || level === 'info') logger[level](fields ?? {}, message)
    },
  })
  supervised.ready().then(
    ({ gpuProblem }) => {
      served = true
      if (gpuProblem !== null) logger.warn({ workerId, reason: gpuProblem }, 'GPU not used')
    },
    () => {},
  )
  return supervised
}

/** @throws with the reason of the first one when none of them can serve */
async function firstReady(serving: readonly FleetMember[]): Promise<void> {
  try {
    await Promise.any(serving.map(({ supervised }) => supervised.ready()))
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error
  }
}
