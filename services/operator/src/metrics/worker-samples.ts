/** Makes samples of what the workers tell of themselves. */
import type { StateResponse, TierState } from '@svc/contracts/worker/protocol'
import type { FleetWorker, WorkerSnapshot } from '../workers/worker-fleet.ts'
import { cacheMetrics, workerMetrics } from './catalogue.ts'
import { SampleSheet } from './sample-sheet.ts'

type WorkerMetricName = keyof typeof workerMetrics | keyof typeof cacheMetrics
type Sheet = SampleSheet<WorkerMetricName>

/** @param restartsOf of the process of a worker, by its name */
export function workerSamples(
  snapshots: readonly WorkerSnapshot[],
  restartsOf: (workerId: string) => number,
): Sheet {
  const sheet: Sheet = new SampleSheet({ ...workerMetrics, ...cacheMetrics })
  for (const { worker, state } of snapshots) {
    const { workerId, ready } = worker
    const of = { worker: workerId }
    sheet.write('svc_worker_up', of, state === undefined ? 0 : 1)
    sheet.write('svc_worker_ready', of, ready ? 1 : 0)
    sheet.write('svc_worker_restarts_total', of, restartsOf(workerId))
    writeInformation(sheet, worker)
    if (state === undefined) continue
    writeWork(sheet, workerId, state)
    writeCache(sheet, workerId, state)
  }
  return sheet
}

function writeInformation(sheet: Sheet, { workerId, health }: FleetWorker): void {
  if (health === undefined) return
  const labels = {
    worker: workerId,
    model: health.modelName,
    device: health.device,
    gpu: health.gpu ?? '',
    cpu_variant: health.cpuVariant,
    fingerprint: health.fingerprint,
    cache: health.cache.mode,
  }
  sheet.write('svc_worker_info', labels, 1)
}

function writeWork(sheet: Sheet, worker: string, state: StateResponse): void {
  const { totals, batches, putAside } = state
  sheet.write('svc_worker_queued', { worker }, state.queued)
  sheet.write('svc_worker_running', { worker }, state.running)
  sheet.write('svc_worker_sequences', { worker }, state.sequences)
  sheet.write('svc_worker_put_asides_total', { worker }, putAside.total)
  sheet.write('svc_worker_put_aside', { worker }, putAside.requests)
  sheet.write('svc_worker_put_aside_bytes', { worker }, putAside.bytes)
  sheet.write('svc_worker_requests_ended_total', { worker }, state.ended)
  const tokens = (tokenClass: string, count: number) =>
    sheet.write('svc_worker_tokens_total', { worker, class: tokenClass }, count)
  tokens('input', totals.inputTokens)
  tokens('cached_input', totals.cachedInputTokens)
  tokens('output', totals.outputTokens)
  const batch = (phase: string, count: number, batchTokens: number) => {
    sheet.write('svc_worker_batches_total', { worker, phase }, count)
    sheet.write('svc_worker_batch_tokens_total', { worker, phase }, batchTokens)
  }
  batch('prompt', batches.prompt, batches.promptTokens)
  batch('decode', batches.decode, batches.decodeTokens)
  sheet.write('svc_worker_meter_mismatches_total', { worker }, state.meterMismatches)
}

function writeCache(sheet: Sheet, worker: string, { cache }: StateResponse): void {
  sheet.write('svc_worker_cache_lookups_total', { worker }, cache.lookups)
  sheet.write('svc_worker_cache_hits_total', { worker }, cache.hits)
  sheet.write('svc_worker_cache_waits_total', { worker }, cache.waits)
  sheet.write('svc_worker_cache_not_worth_fetching_total', { worker }, cache.notWorthFetching)
  sheet.write('svc_worker_cache_restore_failures_total', { worker }, cache.restoreFailures)
  sheet.write('svc_worker_cache_answer_tokens_read_total', { worker }, cache.answerTokensRead)
  for (const tier of ['l1', 'l2'] as const) {
    const labels = { worker, tier }
    sheet.write('svc_worker_cache_reused_tokens_total', labels, cache.reusedTokens[tier])
    const usage = cache[tier]
    if (usage !== null) writeTier(sheet, labels, usage)
  }
}

const tierFields = {
  blocks: 'svc_worker_cache_tier_blocks',
  bytes: 'svc_worker_cache_tier_bytes',
  bytesMax: 'svc_worker_cache_tier_bytes_max',
  evictions: 'svc_worker_cache_tier_evictions_total',
  hits: 'svc_worker_cache_tier_hits_total',
  misses: 'svc_worker_cache_tier_misses_total',
  writes: 'svc_worker_cache_tier_writes_total',
  refused: 'svc_worker_cache_tier_refused_total',
  failures: 'svc_worker_cache_tier_failures_total',
  corrupt: 'svc_worker_cache_tier_corrupt_total',
} as const satisfies Record<keyof TierState, WorkerMetricName>

/**
 * The fields that a worker knows of its own memory alone. No worker knows them of Redis, and a 0
 * would be untrue.
 */
const knownOfMemory: ReadonlySet<keyof TierState> = new Set([
  'blocks',
  'bytes',
  'bytesMax',
  'evictions',
])

function writeTier(
  sheet: Sheet,
  labels: { readonly worker: string; readonly tier: string },
  usage: TierState,
): void {
  for (const field of Object.keys(tierFields) as (keyof TierState)[]) {
    const isKnown = labels.tier === 'l1' || !knownOfMemory.has(field)
    if (isKnown) sheet.write(tierFields[field], labels, usage[field])
  }
}
