/** What the workers that a server starts are told: the words of their command line, and secrets. */
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

/** @param cores that this process may use */
export function workerArguments(settings: Settings, worker: LocalWorker, cores: number): string[] {
  const given = {
    '--model': worker.model,
    '--context-size': settings.SVC_CONTEXT_SIZE,
    '--sequences': settings.SVC_SEQUENCES,
    '--threads': settings.SVC_THREADS ?? sharedThreads(settings.SVC_WORKERS, cores),
    '--gpu': settings.SVC_GPU,
    '--cache': settings.SVC_CACHE,
    '--cache-bytes': settings.SVC_CACHE_BYTES,
  }
  const words = Object.entries(given).flatMap(([flag, value]) =>
    value === undefined ? [] : [flag, String(value)],
  )
  return worker.drained ? [...words, '--drained'] : words
}

/**
 * Threads of more workers than cores slow each other down by far. One stays free for the gateway; a
 * worker alone takes the rest by itself.
 */
function sharedThreads(workers: number, cores: number): number | undefined {
  return workers === 1 ? undefined : Math.max(1, Math.floor((cores - 1) / workers))
}

/**
 * Variables, because other users of the machine can read the words of a command line.
 *
 * @param cacheKey for a server that was given no secret
 */
export function workerEnvironment(settings: Settings, cacheKey: string): Record<string, string> {
  const { REDIS_URL, SVC_CACHE_SECRET = cacheKey } = settings
  return {
    SVC_CACHE_SECRET,
    ...(REDIS_URL === undefined ? {} : { REDIS_URL }),
    SVC_REDIS_PREFIX: settings.SVC_REDIS_PREFIX,
    SVC_CACHE_TTL_S: String(settings.SVC_CACHE_TTL_S),
    SVC_CACHE_TENANT_BYTES: String(settings.SVC_CACHE_TENANT_BYTES),
    ...handedOn(settings),
  }
}

/** What workers have defaults of their own for, where it was set. */
function handedOn(settings: Settings): Record<string, string> {
  const given = {
    SVC_WORKER_HANG_MS: settings.SVC_WORKER_HANG_MS,
    SVC_SCHEMA_BYTES: settings.SVC_SCHEMA_BYTES,
    SVC_SCHEMA_ALTERNATIVES: settings.SVC_SCHEMA_ALTERNATIVES,
    SVC_SCHEMA_STEPS: settings.SVC_SCHEMA_STEPS,
    SVC_SCHEMA_STACKS: settings.SVC_SCHEMA_STACKS,
    SVC_SCHEMA_COMPILE_MS: settings.SVC_SCHEMA_COMPILE_MS,
  }
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  )
}
