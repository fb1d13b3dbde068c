/** The details of a worker, as operators see them. */

import type { CacheUse, TierUse, WorkerDetails } from '@svc/contracts/admin/workers'
import type { StateResponse, TierState } from '@svc/contracts/worker/protocol'
import type { WorkerSnapshot } from './worker-fleet.ts'
import { type SupervisedProcess, workerSummary } from './worker-summary.ts'

export function workerDetails(
  { worker, state }: WorkerSnapshot,
  supervised: SupervisedProcess | undefined,
): WorkerDetails {
  const { health, address } = worker
  const summary = workerSummary(worker, supervised)
  return {
    ...summary,
    address,
    supervised: supervised !== undefined,
    setup: health === undefined ? null : setupOf(health),
    load: state === undefined ? (health?.load ?? null) : loadOf(state),
    cache:
      health === undefined
        ? null
        : { ...health.cache, use: state === undefined ? null : cacheUse(state) },
    problem: problemOf(summary.problem, { worker, state }),
  }
}

function setupOf(health: NonNullable<WorkerSnapshot['worker']['health']>): WorkerDetails['setup'] {
  const { instanceId, device, gpu, cpuVariant, fingerprint, contextSize, threads } = health
  return {
    instance_id: instanceId,
    device,
    gpu,
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

/** What the worker's state has to say comes first: it is an alarm. */
function problemOf(known: string | null, { worker, state }: WorkerSnapshot): string | null {
  if (worker.health === undefined) return known
  return [stateProblem(state), known].filter((said) => said !== null).join('; ') || null
}

function stateProblem(state: StateResponse | undefined): string | null {
  if (state === undefined) return 'no status reported'
  return state.meterMismatches === 0
    ? null
    : `the runtime counted ${state.meterMismatches} prompts otherwise than the worker`
}
