/** The workers of a server: one supervised child process, or those that run elsewhere. */

import type { WorkerLine } from '@svc/gateway/operations/operations'
import type { WorkerAddress } from '@svc/gateway/routing/worker-client'
import type { WorkerFailure } from '@svc/gateway/routing/worker-failure'
import { createWorkerPool, type WorkerPool } from '@svc/gateway/routing/worker-pool'
import { systemTimer } from '@svc/infra/system/system-timer'
import { type Supervised, superviseWorker } from '@svc/worker/supervisor'
import type { Logger } from 'pino'
import { type Settings, SettingsError } from './settings.ts'

/** What a worker's address begins with when it is a socket on this machine. */
const UNIX_SOCKET = 'unix:'
/**
 * A remote worker that is loading a large model answers late; then the server serves without it.
 */
const REMOTE_READY_TIMEOUT_MS = 10_000

export interface InferenceWorkers {
  readonly pool: WorkerPool
  /** Resolves when a worker serves. @throws with one line when the model cannot be used */
  ready(): Promise<void>
  lines(): WorkerLine[]
  /** Also before they are ready: then `ready` rejects. Can be called again. */
  stop(graceMs: number): Promise<void>
}

export function startInferenceWorkers(settings: Settings, logger: Logger): InferenceWorkers {
  return settings.SVC_WORKER_URLS === undefined
    ? superviseOne(settings, logger)
    : useRemote(settings.SVC_WORKER_URLS, settings.SVC_WORKER_SECRET, logger)
}

function superviseOne(settings: Settings, logger: Logger): InferenceWorkers {
  let served = false
  const worker = superviseWorker({
    workerId: 'worker-1',
    modelArguments: modelArguments(settings),
    // A first start that fails is told once, in one line, by whoever asked for it.
    log(level, message, fields) {
      if (served || level === 'info') logger[level](fields ?? {}, message)
    },
  })
  const { socketPath } = worker.address
  const pool = createWorkerPool({
    workers: [{ workerId: worker.workerId, address: { kind: 'unix', path: socketPath } }],
    timer: systemTimer,
  })
  return {
    pool,
    async ready() {
      await worker.ready()
      served = true
      await pool.whenReady(REMOTE_READY_TIMEOUT_MS)
    },
    lines: () => linesOf(pool, worker),
    async stop(graceMs) {
      await pool.close()
      await worker.stop(graceMs)
    },
  }
}

function useRemote(
  urls: readonly string[],
  secret: string | undefined,
  logger: Logger,
): InferenceWorkers {
  const pool = createWorkerPool({
    workers: urls.map((url, index) => ({
      workerId: `worker-${index + 1}`,
      address: addressOf(url, secret),
    })),
    timer: systemTimer,
    onProblem(workerId, problem) {
      if (problem === undefined) logger.info({ workerId }, 'the worker answers')
      else logger.error({ workerId, err: problem }, whatToDo(problem))
    },
  })
  return {
    pool,
    async ready() {
      await pool.whenReady(REMOTE_READY_TIMEOUT_MS)
    },
    lines: () => linesOf(pool, undefined),
    stop: () => pool.close(),
  }
}

function whatToDo({ code, message }: WorkerFailure): string {
  return code === 'unauthorized'
    ? 'the worker has another secret: set SVC_WORKER_SECRET to the same for both'
    : `the worker cannot be used: ${message}`
}

function addressOf(url: string, secret: string | undefined): WorkerAddress {
  if (url.startsWith(UNIX_SOCKET)) return { kind: 'unix', path: url.slice(UNIX_SOCKET.length) }
  if (secret === undefined) {
    throw new SettingsError('SVC_WORKER_URLS needs SVC_WORKER_SECRET, which the workers share')
  }
  return { kind: 'tcp', url, secret }
}

function modelArguments(settings: Settings): string[] {
  const given = {
    '--model': settings.SVC_MODEL,
    '--context-size': settings.SVC_CONTEXT_SIZE,
    '--sequences': settings.SVC_SEQUENCES,
    '--threads': settings.SVC_THREADS,
  }
  return Object.entries(given).flatMap(([flag, value]) =>
    value === undefined ? [] : [flag, String(value)],
  )
}

function linesOf(pool: WorkerPool, supervised: Supervised | undefined): WorkerLine[] {
  return pool.workers.map(({ workerId, health }) => ({
    workerId,
    status: health?.status ?? supervised?.state ?? 'unreachable',
    modelName: health?.modelName ?? '',
    toy: health?.toy ?? false,
    restarts: supervised?.restarts ?? 0,
  }))
}
