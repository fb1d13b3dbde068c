/** What a worker says of itself, as a line for operators. */

import type {
  CacheUse,
  TierUse,
  WorkerDetails,
  WorkerLine,
} from '@svc/contracts/admin/worker-answers'
import type { StateResponse, TierState } from '@svc/contracts/worker/protocol'
import type { WorkerSnapshot } from './worker-fleet.ts'

/** @param line what is known of it without asking it: its supervisor's word, its restarts */
export function workerDetails(
  { worker, state }: WorkerSnapshot,
  line: WorkerLine | undefined,
): WorkerDetails {
  const { workerId, health, address, leaving } = worker
  return {
    workerId,
    status: leaving ? 'leaving' : (health?.status ?? line?.status ?? 'unreachable'),
    modelName: health?.modelName ?? '',
    toy: health?.toy ?? false,
    restarts: line?.restarts ?? 0,
    address,
    setup: health === undefined ? null : setupOf(health),
    load: state === undefined ? (health?.load ?? null) : loadOf(state),
    cache:
      health === undefined
        ? null
        : { ...health.cache, use: state === undefined ? null : cacheUse(state) },
    problem: problemOf({ worker, state }),
  }
}

function setupOf(health: NonNullable<WorkerSnapshot['worker']['health']>): WorkerDetails['setup'] {
  const { instanceId, device, cpuVariant, fingerprint, contextSize, threads } = health
  return { instanceId, device, cpuVariant, fingerprint, contextSize, threads }
}

function loadOf({ sequences, running, queued }: StateResponse): WorkerDetails['load'] {
  return { sequences, running, queued }
}

function cacheUse({ cache, totals, meterMismatches }: StateResponse): CacheUse {
  return {
    prompts: cache.lookups,
    promptHitRate: rate(cache.hits, cache.lookups),
    tokenHitRate: rate(totals.cachedInputTokens, totals.inputTokens + totals.cachedInputTokens),
    l1: cache.l1 && tierUse(cache.l1),
    l2: cache.l2 && tierUse(cache.l2),
    meterMismatches,
  }
}

function tierUse({ blocks, bytes, bytesMax, hits, writes, failures }: TierState): TierUse {
  return { blocks, bytes, bytesMax, hits, writes, failures }
}

function rate(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

function problemOf({ worker, state }: WorkerSnapshot): string | null {
  if (worker.problem !== undefined) return worker.problem.message
  if (worker.health === undefined) return 'it does not answer'
  if (state === undefined) return 'no status reported'
  return state.meterMismatches === 0
    ? null
    : `the runtime counted ${state.meterMismatches} prompts otherwise than the worker`
}
