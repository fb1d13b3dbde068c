/**
 * The part of the worker protocol that is about the worker itself: how it is, how it has fared, and
 * what an operator can have it do.
 */
import { z } from 'zod'
import { promptSchedules } from '../events/account.ts'
import { tokenCount } from '../tokens.ts'

const count = z.int().min(0)

/**
 * Tells what a worker does with the prefix cache: `off` for a model whose memory cannot be reused.
 */
export const cacheMode = z.object({
  mode: z.enum(['on', 'off']),
  /** The batches in which prompts are computed, with the cache and without. */
  schedule: z.enum(promptSchedules),
  /** Why it is off, or not shared between workers; null when there is nothing to say. */
  reason: z.string().nullable(),
  /** `l1`: this worker's memory. `l2`: Redis. */
  tiers: z.array(z.enum(['l1', 'l2'])),
})
export type CacheMode = z.output<typeof cacheMode>

export const healthResponse = z.object({
  status: z.enum(['loading', 'ready', 'draining']),
  workerId: z.string(),
  /** Another one after each start: what an earlier start held is gone. */
  instanceId: z.string(),
  /** Equal fingerprints give equal tokens: model file, library, chat template. */
  fingerprint: z.string(),
  modelName: z.string(),
  /** True for the bundled demo model, so that every interface can say that it is a toy. */
  toy: z.boolean(),
  /** Tokens that fit: prompt and output together. */
  contextSize: tokenCount,
  threads: z.int().min(1),
  cpuVariant: z.string(),
  /** The device that computes: `cpu`, or the kind of GPU. */
  device: z.enum(['cpu', 'cuda', 'vulkan', 'metal']),
  /** The GPUs by their names; null where the CPU computes. Older workers leave it out. */
  gpu: z.string().nullable().default(null),
  /**
   * Why `SVC_GPU=auto` does without a GPU that is there, in one line; null when there is nothing to
   * say. Older workers leave it out.
   */
  gpuProblem: z.string().nullable().default(null),
  cache: cacheMode,
  /**
   * Why Redis is not used at present although `cache` names it, in one line; null when there is
   * nothing to say. Older workers leave it out.
   */
  cacheProblem: z.string().nullable().default(null),
  /** Requests that wait, and sequences in use, for requests of all gateways. */
  load: z.object({ queued: count, running: count, sequences: z.int().min(1) }),
})
export type HealthResponse = z.output<typeof healthResponse>

/** The state of a prefix store: counters since the start. */
export const tierState = z.object({
  blocks: count,
  bytes: count,
  bytesMax: count,
  evictions: count,
  hits: count,
  misses: count,
  writes: count,
  refused: count,
  failures: count,
  corrupt: count,
})
export type TierState = z.output<typeof tierState>

export const stateResponse = z.object({
  queued: count,
  /** Sequences in use: one is, for a moment, after its answer, while its blocks are kept. */
  running: count,
  sequences: z.int().min(1),
  /** Requests that ended since the start. */
  ended: count,
  /** Sums since the start: the worker's side of the daily reconciliation. */
  totals: z.object({
    inputTokens: count,
    cachedInputTokens: count,
    outputTokens: count,
  }),
  /** Counters since the start. */
  cache: z.object({
    /** Prompts whose beginning was looked for. */
    lookups: count,
    /** The number of prompts of which at least one block was reused. */
    hits: count,
    /** Prompt tokens taken from live sequences and blocks of this worker, and from Redis. */
    reusedTokens: z.object({ l1: count, l2: count }),
    /** Requests that waited for another one to compute their common beginning. */
    waits: count,
    /** Requests for which fetching from Redis would have taken longer than computing. */
    notWorthFetching: count,
    /** Prompts whose cached blocks could not be put back, and were computed instead. */
    restoreFailures: count,
    /** Tokens of answers that were computed as part of a prompt while nobody wanted the model. */
    answerTokensRead: count,
    /**
     * The blocks in this worker's memory, and in Redis as this worker sees it. Null means that it
     * is not in use.
     */
    l1: tierState.nullable(),
    l2: tierState.nullable(),
  }),
  /** Counters since the start. */
  batches: z.object({
    /** Chunks of prompts, one to a batch. */
    prompt: count,
    promptTokens: count,
    /** Batches of next tokens, and how many tokens were in them. */
    decode: count,
    decodeTokens: count,
  }),
  /** Answers that gave their sequence to others. */
  putAside: z.object({
    /** The number of times that one did, since the start. */
    total: count,
    /** Requests that are put aside now, some of those that are queued, and the bytes they take. */
    requests: count,
    bytes: count,
  }),
  /** Prompts that the runtime counted otherwise than the worker: an alarm. */
  meterMismatches: count,
})
export type StateResponse = z.output<typeof stateResponse>

/** Takes no more requests, and ends those that run; or takes them again. */
export const drainRequest = z.object({ draining: z.boolean() })
export type DrainRequest = z.output<typeof drainRequest>

/** Blocks of one audit of the cache. */
export const AUDIT_SAMPLE_MAX = 10_000

/** `sample`: blocks of its memory and of Redis that the worker recomputes and compares, at most. */
export const auditRequest = z.object({ sample: z.int().min(1).max(AUDIT_SAMPLE_MAX) })
export type AuditRequest = z.output<typeof auditRequest>

export const auditResponse = z.object({
  workerId: z.string(),
  /** Blocks that were computed again, by where they were kept. */
  checked: z.object({ l1: count, l2: count }),
  /** Blocks that were gone before they, or a block before them, could be read. */
  gone: count,
  /** Blocks whose bytes are not what the model computes. Empty, or something is wrong. */
  differing: z.array(z.object({ name: z.string(), tier: z.enum(['l1', 'l2']) })),
})
export type AuditResponse = z.output<typeof auditResponse>
