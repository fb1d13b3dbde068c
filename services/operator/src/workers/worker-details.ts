/** The details of a worker, as operators see them. */

import type { CacheUse, TierUse, WorkerDetails, WorkerSummary } from '@svc/contracts/admin/workers'
import type { StateResponse, TierState } from '@svc/contracts/worker/protocol'
import type { WorkerSnapshot } from './worker-fleet.ts'

/** @param line its summary, which needs no answer of the worker: state of the process, restarts */
export function workerDetails(
  { worker, state }: WorkerSnapshot,
  line: WorkerSummary | undefined,
): WorkerDetails {
  const { workerId, health, address, leaving } = worker
  return {
    worker_id: workerId,
    status: leaving ? 'leaving' : (health?.status ?? line?.status ?? 'unreachable'),
    model_name: health?.modelName ?? '',
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
  return {
    instance_id: instanceId,
    device,
    cpu_variant: cpuVariant,
    fingerprint,
    context_size: contextSize,
    threads,
  }
}

function loadOf({ sequences, running, queued }: StateResponse): WorkerDetails['load'] {
  return { sequences, running, queued }
}

function cacheUse({ cache, totals, meterMismatches }: StateResponse): CacheUse {
  return {
    prompts: cache.lookups,
    prompt_hit_rate: rate(cache.hits, cache.lookups),
    token_hit_rate: rate(totals.cachedInputTokens, totals.inputTokens + totals.cachedInputTokens),
    l1: cache.l1 && tierUse(cache.l1),
    l2: cache.l2 && tierUse(cache.l2),
    meter_mismatches: meterMismatches,
  }
}

function tierUse({ blocks, bytes, bytesMax, hits, writes, failures }: TierState): TierUse {
  return { blocks, bytes, bytes_max: bytesMax, hits, writes, failures }
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
