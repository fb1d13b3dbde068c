/**
 * What sharing through Redis costs: for a prompt that is written, and for one that is read. Workers
 * and Redis say a little to each other also when nothing is asked; that is taken off.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { processorMs } from '@svc/testing/processor-time'
import {
  type Bench,
  cacheableOf,
  type Figures,
  newRandom,
  ownRedis,
  promptTokens,
  sharedCache,
  untilWritten,
  warmWorker,
  writtenBlocks,
} from '../bench.ts'
import type { MeasuredWorker } from '../measured-worker.ts'
import { randomPrompt } from '../model-under-test.ts'
import { type RedisUsage, redisUsageOf } from '../redis-usage.ts'
import { rounded } from '../statistics.ts'
import { timedAnswer } from '../timed-answer.ts'

const PROMPT_TOKENS = 2_000
const PROMPTS = 20
const IDLE_MS = 3_000
const TENANT = 'redis'

export async function measureRedis(bench: Bench): Promise<Figures> {
  const tokens = promptTokens(bench.model, PROMPT_TOKENS)
  const count = bench.samples ?? PROMPTS
  const random = newRandom()
  const prompts = Array.from({ length: count }, () => randomPrompt(bench.model, tokens, random))
  await using stack = new AsyncDisposableStack()
  const redis = await ownRedis(stack)
  const shared = sharedCache(redis, 'redis')
  const options = { sequences: 2, cache: 'on', tokens } as const
  await using writer = await warmWorker(bench, { ...options, shared, workerId: 'bench-writer' })
  await using reader = await warmWorker(bench, { ...options, shared, workerId: 'bench-reader' })
  await using lonely = await warmWorker(bench, { ...options, workerId: 'bench-lonely' })

  const { blocks } = cacheableOf(writer, tokens)
  const idle = await redisUsageOf(redis, () => delay(IDLE_MS))
  const expected = (await writtenBlocks(writer)) + blocks * count
  const alone = await measured(lonely, () => askAll(bench, lonely, prompts, 'none'))
  const written = await measured(writer, () =>
    redisUsageOf(redis, async () => {
      await askAll(bench, writer, prompts, 'none')
      await untilWritten(writer, expected)
    }),
  )
  const read = await measured(reader, () =>
    redisUsageOf(redis, () => askAll(bench, reader, prompts, 'l2')),
  )
  const again = await measured(reader, () => askAll(bench, reader, prompts.slice(-KEPT), 'l1'))
  const writes = perPrompt(written, idle, count)
  const reads = perPrompt(read, idle, count)
  return {
    redis_prompt_tokens: tokens,
    redis_blocks_per_prompt: blocks,
    ...prefixed('redis_write_', writes),
    redis_write_worker_cpu_ms: rounded((written.cpuMs - alone.cpuMs) / count),
    ...prefixed('redis_hit_', reads),
    redis_hit_worker_cpu_ms: rounded(read.cpuMs / count),
    redis_l1_hit_worker_cpu_ms: rounded(again.cpuMs / Math.min(KEPT, count)),
    redis_cold_worker_cpu_ms: rounded(alone.cpuMs / count),
    redis_idle_commands_per_s: rounded(idle.commands / (IDLE_MS / 1000)),
  }
}

/** The last prompts that are in the worker's own memory afterwards, whatever their size. */
const KEPT = 3

interface Measured<T> {
  readonly result: T
  readonly seconds: number
  /** Processor time of the worker, the threads of the model included. */
  readonly cpuMs: number
}

async function measured<T>(worker: MeasuredWorker, work: () => Promise<T>): Promise<Measured<T>> {
  const startedMs = performance.now()
  const before = processorMs(worker.pid)
  const result = await work()
  const cpuMs = processorMs(worker.pid) - before
  return { result, seconds: (performance.now() - startedMs) / 1000, cpuMs }
}

function perPrompt(
  { result, seconds }: Measured<RedisUsage>,
  idle: RedisUsage,
  count: number,
): Figures {
  const share = seconds / (IDLE_MS / 1000)
  const net = (name: keyof RedisUsage) => rounded((result[name] - idle[name] * share) / count)
  return {
    commands: net('commands'),
    bytes_to_redis: Math.round(net('bytesIn')),
    bytes_from_redis: Math.round(net('bytesOut')),
    redis_cpu_ms: net('cpuMs'),
  }
}

function prefixed(prefix: string, figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [prefix + name, value]))
}

async function askAll(
  { model }: Bench,
  worker: MeasuredWorker,
  prompts: readonly (readonly number[])[],
  expected: 'none' | 'l1' | 'l2',
): Promise<void> {
  for (const tokens of prompts) {
    const { meter } = await timedAnswer(worker, {
      tenant: TENANT,
      tokens,
      maxOutputTokens: 1,
      without: model.endOfGeneration,
    })
    if (meter.cache.source === expected) continue
    throw new Error(`a prompt came from ${meter.cache.source}: it should have been ${expected}`)
  }
}
