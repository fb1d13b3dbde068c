/**
 * Holds random conversations on two workers that share a prefix cache through Redis, while Redis
 * and a worker break in every way, and compares every answer with that of a worker without a cache.
 *
 *     npm run soak:cache -- [--conversations 10000] [--seed 1] [--threads 1]
 *         [--model demo|FILE.gguf] [--gpu off|auto|cuda|vulkan|metal] [--json]
 *
 * Conversations, the workers that are asked, and the faults are the same for the same seed; how
 * they interleave is not. Of every answer it is checked that
 *
 * - its text and the probabilities of its tokens are those of the reference, to the last bit,
 * - cached and computed tokens make up the prompt, and the runtime counted the same,
 * - nothing was cached that its tenant had not sent before.
 *
 * Now and then all workers are idle: then none may hold requests, files, sockets or memory that it
 * should have given back.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOptions } from '@svc/testing/read-options'
import { redisIsHere, startRedisServer } from '@svc/testing/redis/redis-server'
import { DEMO_MODEL, gpuChoices } from '../../services/worker/src/engines/engine.ts'
import { CacheFleet, type FleetModel } from './cache-fleet.ts'
import { CacheSoak, type CacheSoakSummary } from './cache-soak-run.ts'

const DEFAULT_CONVERSATIONS = 10_000
const DEFAULT_SEED = 1
/** Much less than is written: Redis has to give up blocks. */
const REDIS_MEMORY = { maxmemory: '128mb', maxmemoryPolicy: 'allkeys-lru' }
const SECRET = 'the workers of one soak share this'

export interface CacheSoakOptions extends Partial<FleetModel> {
  readonly conversations: number
  readonly seed: number
  /** Told how far it is. */
  readonly say: (line: string) => void
}

/** @throws Error without a redis-server on the machine, or with a REDIS_URL: it is killed here */
export async function cacheSoak({
  model = DEMO_MODEL,
  threads = 1,
  gpu = 'off',
  ...options
}: CacheSoakOptions): Promise<CacheSoakSummary> {
  if (!redisIsHere()) throw new Error('this test needs a redis-server on the machine')
  const folder = mkdtempSync(join(tmpdir(), 'svc-cache-soak-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const redis = stack.adopt(await startRedisServer(REDIS_MEMORY), (server) => server.close())
  const shared = { url: redis.url, prefix: `soak-${process.pid}.`, secret: SECRET }
  const fleet = stack.adopt(
    await CacheFleet.start(folder, { shared, model, threads, gpu }),
    (each) => each.stop(),
  )
  return await new CacheSoak(options, redis, fleet).run()
}

async function main(): Promise<void> {
  const values = readOptions({
    conversations: { type: 'string', default: String(DEFAULT_CONVERSATIONS) },
    seed: { type: 'string', default: String(DEFAULT_SEED) },
    threads: { type: 'string', default: '1' },
    model: { type: 'string', default: DEMO_MODEL },
    gpu: { type: 'string', default: 'off' },
    json: { type: 'boolean', default: false },
  })
  const gpu = gpuChoices.find((choice) => choice === values.gpu)
  if (gpu === undefined) throw new Error(`--gpu ${gpuChoices.join(', ')}`)
  const summary = await cacheSoak({
    gpu,
    model: values.model,
    conversations: Number(values.conversations),
    seed: Number(values.seed),
    threads: Number(values.threads),
    say: (line) => process.stderr.write(`${line}\n`),
  })
  process.stdout.write(`${JSON.stringify(summary, null, values.json ? undefined : 2)}\n`)
  process.exitCode = summary.contradictions.length === 0 ? 0 : 1
}

if (import.meta.main) await main()
