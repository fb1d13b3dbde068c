/**
 * Every metric that is exposed: its name, kind, labels and meaning. `docs/reference/metrics.md` is
 * kept equal to this file by a test.
 *
 * The names that begin with `gen_ai_` are those of OpenTelemetry's conventions for generative AI,
 * as Prometheus writes them. No label names an account, a key or a request: their number has no
 * bound, and they are nobody's business.
 */

export interface MetricEntry {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
  readonly unit: string
  /** Describes the metric in one sentence, which Prometheus and the reference page show. */
  readonly help: string
}

const ofWorker = ['worker'] as const
const ofTier = ['worker', 'tier'] as const

export const gatewayMetrics = {
  svc_requests_total: {
    kind: 'counter',
    labels: ['format', 'outcome'],
    unit: 'requests',
    help:
      'Inference requests that ended: finished, stopped (the caller left), failed (an error of ' +
      'ours), refused (an error of the caller), replayed (an answer from the idempotency record).',
  },
  svc_request_errors_total: {
    kind: 'counter',
    labels: ['format', 'code'],
    unit: 'requests',
    help: 'Inference requests that ended with an error, by its code in the error catalogue.',
  },
  svc_requests_open: {
    kind: 'gauge',
    labels: ['format'],
    unit: 'requests',
    help: 'Inference requests that are being answered.',
  },
  svc_billed_tokens_total: {
    kind: 'counter',
    labels: ['class'],
    unit: 'tokens',
    help: 'Tokens that were debited, by class; input is the part that was computed.',
  },
  gen_ai_server_request_duration_seconds: {
    kind: 'histogram',
    labels: ['format'],
    unit: 'seconds',
    help: 'From when a whole request had arrived until its end was in the ledger.',
  },
  gen_ai_server_time_to_first_token_seconds: {
    kind: 'histogram',
    labels: ['format'],
    unit: 'seconds',
    help: 'From when a whole request had arrived until its first token reached the gateway.',
  },
  gen_ai_server_time_per_output_token_seconds: {
    kind: 'histogram',
    labels: ['format'],
    unit: 'seconds',
    help: 'Of a request, the mean time of its output tokens after the first one.',
  },
} as const satisfies Record<string, MetricEntry>

export const serverMetrics = {
  svc_ready: {
    kind: 'gauge',
    labels: [],
    unit: '0 or 1',
    help: '1 while `/readyz` says that requests can be taken, 0 while it says which part is unwell.',
  },
  svc_data_folder_free_bytes: {
    kind: 'gauge',
    labels: [],
    unit: 'bytes',
    help: 'Bytes that are free on the disk of the data folder.',
  },
  svc_last_backup_timestamp_seconds: {
    kind: 'gauge',
    labels: [],
    unit: 'seconds since 1970',
    help: 'When `svc backup` last wrote a backup of this server; 0 when it never has.',
  },
} as const satisfies Record<string, MetricEntry>

export const ledgerMetrics = {
  svc_event_log_healthy: {
    kind: 'gauge',
    labels: [],
    unit: '0 or 1',
    help: '1 while the event log answers and takes events, 0 while it does not, its disk is full or its file damaged.',
  },
  svc_event_log_position: {
    kind: 'gauge',
    labels: [],
    unit: 'positions',
    help: 'Where the event log ends: counted in events in a SQLite log, in bytes on EventStoreDB.',
  },
  svc_last_verification_timestamp_seconds: {
    kind: 'gauge',
    labels: [],
    unit: 'seconds since 1970',
    help: 'When the event log was last verified on a running server; 0 when it never was.',
  },
  svc_last_verification_ok: {
    kind: 'gauge',
    labels: [],
    unit: '0 or 1',
    help: '1 when the last verification found nothing, 0 when it found that history was altered.',
  },
  svc_holds_active: {
    kind: 'gauge',
    labels: [],
    unit: 'requests',
    help: 'Requests that hold credit, of all gateways, as the accounts view knows them.',
  },
  svc_holds_overdue: {
    kind: 'gauge',
    labels: [],
    unit: 'requests',
    help: 'Of these, those a minute past their deadline, which the sweeper should have ended.',
  },
  svc_projection_healthy: {
    kind: 'gauge',
    labels: ['projection'],
    unit: '0 or 1',
    help: '1 while the view follows the event log, 0 when it has failed or was stopped.',
  },
  svc_projection_lag_positions: {
    kind: 'gauge',
    labels: ['projection'],
    unit: 'positions',
    help: 'How far the view is behind the log: events in a SQLite log, bytes on EventStoreDB.',
  },
  svc_quarantined_streams: {
    kind: 'gauge',
    labels: [],
    unit: 'streams',
    help: 'Streams of the event log that are damaged and set aside: their accounts are refused.',
  },
  svc_feed_healthy: {
    kind: 'gauge',
    labels: [],
    unit: '0 or 1',
    help: '1 while events reach the topic of Kafka, 0 while they do not or records of it are lost.',
  },
  svc_feed_lag_positions: {
    kind: 'gauge',
    labels: [],
    unit: 'positions',
    help: 'How far the topic is behind the log: events in a SQLite log, bytes on EventStoreDB.',
  },
  svc_feed_waiting_seconds: {
    kind: 'gauge',
    labels: [],
    unit: 'seconds',
    help: 'How long the oldest event that was read for the feed has waited to be acknowledged.',
  },
  svc_topups_healthy: {
    kind: 'gauge',
    labels: [],
    unit: '0 or 1',
    help: '1 while top-ups are taken from their topic, 0 while they are not or some were lost there.',
  },
  svc_topups_waiting: {
    kind: 'gauge',
    labels: [],
    unit: 'records',
    help: "Top-ups in this server's share of their topic that are not taken yet.",
  },
  svc_topups_total: {
    kind: 'counter',
    labels: ['outcome'],
    unit: 'records',
    help: 'Top-ups that were taken: `granted`, `repeated` (granted before) or `dead` (never will be).',
  },
} as const satisfies Record<string, MetricEntry>

export const workerMetrics = {
  svc_worker_up: {
    kind: 'gauge',
    labels: ofWorker,
    unit: '0 or 1',
    help: '1 when the worker answered the scrape in time; all that it tells is missing otherwise.',
  },
  svc_worker_ready: {
    kind: 'gauge',
    labels: ofWorker,
    unit: '0 or 1',
    help: '1 while the worker is given requests; 0 while it loads, drains or does not answer.',
  },
  svc_worker_info: {
    kind: 'gauge',
    labels: ['worker', 'model', 'device', 'gpu', 'cpu_variant', 'fingerprint', 'cache'],
    unit: '1',
    help: 'Always 1; what the worker is, in its labels.',
  },
  svc_worker_restarts_total: {
    kind: 'counter',
    labels: ofWorker,
    unit: 'starts',
    help: 'Starts of a supervised worker after the first one; 0 for a remote worker.',
  },
  svc_worker_queued: {
    kind: 'gauge',
    labels: ofWorker,
    unit: 'requests',
    help: 'Requests that wait for a sequence.',
  },
  svc_worker_running: {
    kind: 'gauge',
    labels: ofWorker,
    unit: 'requests',
    help: 'Requests that are computed.',
  },
  svc_worker_sequences: {
    kind: 'gauge',
    labels: ofWorker,
    unit: 'sequences',
    help: 'How many requests the worker can compute at the same time.',
  },
  svc_worker_put_asides_total: {
    kind: 'counter',
    labels: ofWorker,
    unit: 'times',
    help: 'How often a running request gave its sequence to another one and was put aside.',
  },
  svc_worker_put_aside: {
    kind: 'gauge',
    labels: ofWorker,
    unit: 'requests',
    help: 'Requests that are put aside until their next turn; they count as queued.',
  },
  svc_worker_put_aside_bytes: {
    kind: 'gauge',
    labels: ofWorker,
    unit: 'bytes',
    help: 'Bytes of what they had computed, kept outside of the memory of the model.',
  },
  svc_worker_requests_ended_total: {
    kind: 'counter',
    labels: ofWorker,
    unit: 'requests',
    help: 'Requests that ended on the worker, in whatever way.',
  },
  svc_worker_tokens_total: {
    kind: 'counter',
    labels: ['worker', 'class'],
    unit: 'tokens',
    help: 'Tokens that the worker metered, by class.',
  },
  svc_worker_batches_total: {
    kind: 'counter',
    labels: ['worker', 'phase'],
    unit: 'batches',
    help: 'Batches that the model computed: of prompts, or of next tokens (decode).',
  },
  svc_worker_batch_tokens_total: {
    kind: 'counter',
    labels: ['worker', 'phase'],
    unit: 'tokens',
    help: 'Tokens in those batches: divided by the batches, how well requests share them.',
  },
  svc_worker_meter_mismatches_total: {
    kind: 'counter',
    labels: ofWorker,
    unit: 'prompts',
    help: 'Prompts that the runtime counted otherwise than the worker: an alarm at the first one.',
  },
} as const satisfies Record<string, MetricEntry>

export const cacheMetrics = {
  svc_worker_cache_lookups_total: {
    kind: 'counter',
    labels: ofWorker,
    unit: 'prompts',
    help: 'Prompts whose beginning was looked for in the cache.',
  },
  svc_worker_cache_hits_total: {
    kind: 'counter',
    labels: ofWorker,
    unit: 'prompts',
    help: 'Those of which at least one block was reused.',
  },
  svc_worker_cache_reused_tokens_total: {
    kind: 'counter',
    labels: ofTier,
    unit: 'tokens',
    help: 'Prompt tokens that were taken from the memory of the worker (l1) or from Redis (l2).',
  },
  svc_worker_cache_waits_total: {
    kind: 'counter',
    labels: ofWorker,
    unit: 'requests',
    help: 'Requests that waited for another one to compute their common beginning.',
  },
  svc_worker_cache_not_worth_fetching_total: {
    kind: 'counter',
    labels: ofWorker,
    unit: 'requests',
    help: 'Requests for which fetching from Redis would have taken longer than computing.',
  },
  svc_worker_cache_restore_failures_total: {
    kind: 'counter',
    labels: ofWorker,
    unit: 'prompts',
    help: 'Prompts whose cached blocks could not be put back, and were computed instead.',
  },
  svc_worker_cache_answer_tokens_read_total: {
    kind: 'counter',
    labels: ofWorker,
    unit: 'tokens',
    help: 'Tokens of answers that were read for the next turn while no request ran.',
  },
  svc_worker_cache_tier_blocks: {
    kind: 'gauge',
    labels: ofTier,
    unit: 'blocks',
    help: 'Blocks in the memory of the worker (l1 only).',
  },
  svc_worker_cache_tier_bytes: {
    kind: 'gauge',
    labels: ofTier,
    unit: 'bytes',
    help: 'Bytes of these blocks (l1 only).',
  },
  svc_worker_cache_tier_bytes_max: {
    kind: 'gauge',
    labels: ofTier,
    unit: 'bytes',
    help: 'Bytes that the memory has room for (l1 only).',
  },
  svc_worker_cache_tier_evictions_total: {
    kind: 'counter',
    labels: ofTier,
    unit: 'blocks',
    help: 'Blocks that gave way to others (l1 only).',
  },
  svc_worker_cache_tier_hits_total: {
    kind: 'counter',
    labels: ofTier,
    unit: 'blocks',
    help: 'Blocks that were asked for and there.',
  },
  svc_worker_cache_tier_misses_total: {
    kind: 'counter',
    labels: ofTier,
    unit: 'blocks',
    help: 'Blocks that were asked for and not there.',
  },
  svc_worker_cache_tier_writes_total: {
    kind: 'counter',
    labels: ofTier,
    unit: 'blocks',
    help: 'Blocks that were stored.',
  },
  svc_worker_cache_tier_refused_total: {
    kind: 'counter',
    labels: ofTier,
    unit: 'blocks',
    help: 'Blocks left out, because their tenant holds its share or nothing can be written.',
  },
  svc_worker_cache_tier_failures_total: {
    kind: 'counter',
    labels: ofTier,
    unit: 'calls',
    help: 'Calls of the store that failed or took too long: each was a miss and nothing worse.',
  },
  svc_worker_cache_tier_corrupt_total: {
    kind: 'counter',
    labels: ofTier,
    unit: 'blocks',
    help: 'Blocks found that were not what their name says; they were removed.',
  },
} as const satisfies Record<string, MetricEntry>

/** The metrics in the order of the reference page. */
export const metricCatalogue: Readonly<Record<string, MetricEntry>> = {
  ...gatewayMetrics,
  ...serverMetrics,
  ...ledgerMetrics,
  ...workerMetrics,
  ...cacheMetrics,
}
