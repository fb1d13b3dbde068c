/** What every part of the benchmark is given, and what it gives back. */
import { setTimeout as delay } from 'node:timers/promises'
import { Random } from '@svc/testing/random'
import { type RedisServer, redisIsHere, startRedisServer } from '@svc/testing/redis/redis-server'
import type { Gpu } from '../src/engines/engine.ts'
import { anyTokenSchedule, canonicalSchedule } from '../src/engines/prompt-schedule.ts'
import { MeasuredWorker, type MeasuredWorkerOptions, type SharedCache } from './measured-worker.ts'
import type { ModelUnderTest } from './model-under-test.ts'
import { timedAnswer } from './timed-answer.ts'

export interface Bench {
  readonly model: ModelUnderTest
  readonly folder: string
  /** Measurements of each kind, where a part can do with more or fewer. */
  readonly samples: number | null
  /** Of a model; each part's own number when it is null. */
  readonly threads: number | null
  /** What computes. */
  readonly gpu: Gpu
  /** Answers that decoding is measured with; each part's own number when it is null. */
  readonly atOnce: number | null
  /** Path of the binary that is measured beside, if any. */
  readonly llamaServer: string | null
  readonly say: (line: string) => void
}

/** Named figures, with the unit in the name. */
export type Figures = Readonly<Record<string, number>>

export type Part = (bench: Bench) => Promise<Figures>

/** Of a model's context, for the answer after the longest prompt. */
const OUTPUT_TOKENS_RESERVED = 47
const WARM_UP_TOKENS = 300
const WARM_UP_OUTPUT_TOKENS = 16
const SECRET = 'the workers of one benchmark share this'
const CACHE_BYTES = 512 * 1024 * 1024
/** Parts write more than a machine has room for; what they read again is the latest. */
const REDIS = { maxmemory: '2gb', maxmemoryPolicy: 'allkeys-lru' }
const WRITTEN_MS_MAX = 30_000
const POLL_MS = 5
const SEED = 1

/** The same random numbers in every run; others in each `round`. */
export function newRandom(round = 0): Random {
  return new Random(SEED + round)
}

/** @returns `wanted`, or fewer tokens where the model's context is too small for them */
export function promptTokens(model: ModelUnderTest, wanted: number): number {
  return Math.min(wanted, model.contextTokens - OUTPUT_TOKENS_RESERVED - 1)
}

/** What of a prompt a worker's cache can have. */
export interface Cacheable {
  readonly tokens: number
  /** That they are kept in. */
  readonly blocks: number
}

/** All but the last token; only whole blocks where the model's schedule has it so. */
export function cacheableOf({ health }: MeasuredWorker, prompt: number): Cacheable {
  const isAny = health.cache.schedule === 'any-token'
  const { cutTokens, blockTokens } = isAny ? anyTokenSchedule(1) : canonicalSchedule(1)
  const tokens = Math.floor((prompt - 1) / cutTokens) * cutTokens
  return { tokens, blocks: Math.ceil(tokens / blockTokens) }
}

/** A server of the benchmark's own, closed when the part ends. */
export async function ownRedis(stack: AsyncDisposableStack): Promise<RedisServer> {
  if (!redisIsHere()) throw new Error('this part needs a redis-server on the machine')
  return stack.adopt(await startRedisServer(REDIS), (redis) => redis.close())
}

/** Workers with this join each other through Redis. Another run on the same Redis does not. */
export function sharedCache(redis: RedisServer, prefix: string): SharedCache {
  return { url: redis.url, prefix: `${prefix}-${process.pid}.`, secret: SECRET }
}

type WorkerOptions = Pick<MeasuredWorkerOptions, 'workerId' | 'sequences' | 'cache'> & {
  /** Longest prompt with its answer. */
  readonly tokens: number
  readonly shared?: SharedCache | undefined
}

/** A worker that has answered a little, so that nothing is done for the first time. */
export async function warmWorker(
  { folder, model, gpu }: Bench,
  { tokens, ...options }: WorkerOptions,
): Promise<MeasuredWorker> {
  const contextSize = Math.min(contextFor(Math.max(tokens, WARM_UP_TOKENS)), model.contextTokens)
  const worker = await MeasuredWorker.start({
    folder,
    model: model.argument,
    gpu,
    contextSize,
    cacheBytes: CACHE_BYTES,
    ...options,
  })
  const warmUp = Array.from({ length: WARM_UP_TOKENS }, (_, index) => index % 256)
  for (const tenant of ['warm-up-1', 'warm-up-2']) {
    await timedAnswer(worker, {
      tenant,
      tokens: warmUp,
      maxOutputTokens: WARM_UP_OUTPUT_TOKENS,
      without: model.endOfGeneration,
    })
  }
  return worker
}

const CONTEXT_STEP = 256

function contextFor(tokens: number): number {
  return Math.ceil((tokens + OUTPUT_TOKENS_RESERVED + 1) / CONTEXT_STEP) * CONTEXT_STEP
}

/** Waits until a worker has written `blocks` blocks to Redis since its start. */
export async function untilWritten(worker: MeasuredWorker, blocks: number): Promise<void> {
  const endMs = performance.now() + WRITTEN_MS_MAX
  for (let written = await writtenBlocks(worker); written < blocks; ) {
    if (performance.now() > endMs) throw new Error(`${written} of ${blocks} blocks are in Redis`)
    await delay(POLL_MS)
    written = await writtenBlocks(worker)
  }
}

export async function writtenBlocks(worker: MeasuredWorker): Promise<number> {
  return (await worker.client.state()).cache.l2?.writes ?? 0
}
