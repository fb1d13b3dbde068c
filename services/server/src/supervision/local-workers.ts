/** Which workers a server starts, and with which options. */
import { workerVariableNames } from '@svc/worker/settings/worker-variables'
import type { Settings } from '../settings/settings.ts'

export interface LocalWorker {
  readonly workerId: string
  readonly model: string
  /** It loads its model and takes no requests until an operator tells it to. */
  readonly drained: boolean
}

/**
 * The workers of `SVC_MODEL`, then one for each model that stands by.
 *
 * @returns at least one that serves
 */
export function localWorkersOf(settings: Settings): readonly LocalWorker[] {
  const serving = Array.from({ length: settings.SVC_WORKERS }, (_, index) => ({
    workerId: `worker-${index + 1}`,
    model: settings.SVC_MODEL,
    drained: false,
  }))
  const standby = (settings.SVC_STANDBY_MODELS ?? []).map((model, index) => ({
    workerId: `standby-${index + 1}`,
    model,
    drained: true,
  }))
  return [...serving, ...standby]
}

/**
 * Variables of one worker: the server's settings, as far as they are a worker's too.
 *
 * @param cacheKey for a server that was given no secret
 * @param cores that this process may use
 */
export function workerEnvironment(
  settings: Settings,
  { model }: LocalWorker,
  cacheKey: string,
  cores: number,
): Record<string, string> {
  const { SVC_WORKERS, SVC_CACHE_SECRET = cacheKey } = settings
  const SVC_THREADS = settings.SVC_THREADS ?? sharedThreads(SVC_WORKERS, cores)
  const given = { ...settings, SVC_MODEL: model, SVC_THREADS, SVC_CACHE_SECRET }
  return Object.fromEntries(
    workerVariableNames.flatMap((name) =>
      given[name] === undefined ? [] : [[name, String(given[name])]],
    ),
  )
}

/**
 * Threads of more workers than cores slow each other down by far. One stays free for the gateway; a
 * worker alone takes the rest by itself.
 */
function sharedThreads(workers: number, cores: number): number | undefined {
  return workers === 1 ? undefined : Math.max(1, Math.floor((cores - 1) / workers))
}
