/**
 * The prefix cache with the real model, two workers and a real Redis: an answer is the same,
 * wherever its beginning comes from, and the counts say where it came from.
 */
import { openRedisPrefixStore } from '@svc/infra/prefix-store/redis/redis-prefix-store'
import { system, user, WorkerClient } from '@svc/testing/protocol-client'
import { describeOnOwnRedis } from '@svc/testing/redis/describe-on-redis'
import { type RedisServer, startRedisServer } from '@svc/testing/redis/redis-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Supervised, superviseWorker } from '../src/supervision/supervisor.ts'

const SECRET = 'what workers share in this test'
const STOP_MS = 5_000

const library = (times: number) =>
  system('You are a friendly assistant of a small library. It opens at nine. '.repeat(times))
const prompt = [library(40), user('What is the capital city of Norway?')]
const others = Array.from({ length: 3 }, (_, index) => [user(`${index} ${'hello '.repeat(150)}`)])

interface Worker {
  readonly supervised: Supervised
  readonly client: WorkerClient
}

async function startWorker(workerId: string, redisUrl: string | null): Promise<Worker> {
  const supervised = superviseWorker({
    workerId,
    modelArguments: ['--sequences', '2', ...(redisUrl === null ? ['--cache', 'off'] : [])],
    log: () => {},
    env: { SVC_CACHE_SECRET: SECRET, ...(redisUrl === null ? {} : { REDIS_URL: redisUrl }) },
  })
  await supervised.ready()
  return { supervised, client: new WorkerClient(supervised.address) }
}

describeOnOwnRedis('two workers with a Redis', () => {
  let redis: RedisServer
  let one: Worker
  let two: Worker
  let without: Worker
  const ask = ({ client }: Worker, tenant: string) => client.generate(prompt, { tenant })
  const redisBlocks = async () => (await one.client.state()).cache.l2?.writes ?? 0

  /**
   * Both are asked for what one has computed, for more tenants until the other has it from Redis: a
   * fetch that is late is given up for computing, which beside other work may be right.
   */
  async function nearAndFar(tenants: readonly string[]) {
    for (const tenant of tenants) {
      const before = await redisBlocks()
      const cold = await ask(one, tenant)
      const near = await ask(one, tenant)
      const blocks = near.meter?.cache.blocks ?? 0
      const isNew = cold.meter?.cache.source === 'none'
      if (isNew) await expect.poll(redisBlocks).toBeGreaterThanOrEqual(before + blocks)
      const far = await ask(two, tenant)
      if (far.meter?.cache.source === 'l2') return { near, far }
    }
    throw new Error('nothing was fetched from Redis')
  }

  beforeAll(async () => {
    redis = await startRedisServer()
    const started = await Promise.all([
      startWorker('one', redis.url),
      startWorker('two', redis.url),
      startWorker('without', null),
    ])
    ;[one, two, without] = started
  })

  afterAll(async () => {
    for (const { supervised } of [one, two, without]) await supervised.stop(STOP_MS)
    await redis.close()
  })

  it('say what they are', async () => {
    expect((await one.client.health()).cache).toEqual({
      mode: 'on',
      schedule: 'any-token',
      reason: null,
      tiers: ['l1', 'l2'],
    })
    expect((await without.client.health()).cache).toEqual({
      mode: 'off',
      schedule: 'any-token',
      reason: 'it was switched off',
      tiers: [],
    })
  })

  it('give one answer: computed, from a live sequence, from memory, from Redis', async () => {
    const plain = await ask(without, 'a')
    const cold = await ask(one, 'a')
    const live = await ask(one, 'a')
    for (const other of others) await one.client.generate(other, { tenant: 'a' })
    const kept = await ask(one, 'a')
    await expect.poll(redisBlocks).toBeGreaterThanOrEqual(kept.meter?.cache.blocks ?? 0)
    const { near, far } = await nearAndFar(['a', 'a2', 'a3', 'a4', 'a5', 'a6'])
    const answers = [plain, cold, live, kept, near, far]
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.map(({ meter }) => meter?.cache.source)).toEqual([
      ...['none', 'none', 'l1', 'l1', 'l1', 'l2'],
    ])
    const tokens = plain.meter?.inputTokens ?? 0
    expect(tokens).toBeGreaterThan(5 * 128)
    for (const { meter } of answers) {
      expect((meter?.inputTokens ?? 0) + (meter?.cachedInputTokens ?? 0)).toBe(tokens)
      expect(meter?.cache.evaluatedTokens).toBe(meter?.inputTokens)
    }
    expect(live.meter).toMatchObject({ inputTokens: 1, cachedInputTokens: tokens - 1 })
    for (const { meter } of [kept, near]) {
      expect(meter).toMatchObject({ inputTokens: 1, cachedInputTokens: tokens - 1 })
    }
    expect(far.meter).toMatchObject({ inputTokens: 1, cachedInputTokens: tokens - 1 })
    expect(far.meter?.cache).toMatchObject({ blocks: Math.ceil((tokens - 1) / 32) })
    expect(far.meter?.cache.lastBlockHash).toBe(near.meter?.cache.lastBlockHash)
  })

  it('give a stranger nothing of it, near or far', async () => {
    for (const [tenant, worker] of Object.entries({ strangerOne: one, strangerTwo: two })) {
      expect((await ask(worker, tenant)).meter).toMatchObject({
        cachedInputTokens: 0,
        cache: { blocks: 0, source: 'none', lastBlockHash: null },
      })
    }
  })

  it('compute alike what an audit computes again', async () => {
    for (const { client } of [one, two]) {
      const { status, body } = await client.call('POST', '/audit', { sample: 50 })
      expect(status).toBe(200)
      expect(body).toMatchObject({ gone: 0, differing: [] })
      const { checked } = body as { checked: { l1: number; l2: number } }
      expect(checked.l1).toBeGreaterThan(5)
      expect(checked.l2).toBeGreaterThan(5)
    }
  })

  it('are found out by an audit when blocks in Redis are not what they should be', async () => {
    const { fingerprint } = await one.client.health()
    const store = openRedisPrefixStore({
      url: redis.url,
      keyPrefix: 'svc.',
      fingerprint,
      secret: SECRET,
      onProblem: () => {},
    })
    const { blocks: chain } = await one.client.prepare(prompt, { tenant: 'a' })
    await expect.poll(() => store.has(chain)).toBe(chain.length)
    const blocks = await store.get(chain)
    for (const { name } of blocks.toReversed()) await store.remove(name)
    const bytes = (block: Uint8Array) => block.with(1_000, (block[1_000] ?? 0) ^ 1)
    await store.put(
      'a',
      blocks.map((block, index) => (index === 1 ? { ...block, bytes: bytes(block.bytes) } : block)),
    )
    const { body } = await two.client.call('POST', '/audit', { sample: 10_000 })
    expect(body).toMatchObject({ differing: [{ name: chain[1], tier: 'l2' }] })
    await store.close()
    await redis.flush()
  })

  it('serve on when Redis is killed, and share again when it is back', async () => {
    const plain = await ask(without, 'b')
    await ask(one, 'b')
    await redis.kill()
    const meanwhile = await ask(two, 'b')
    const problem = async () => (await two.client.health()).cacheProblem
    await expect.poll(problem).toMatch(/^Redis at 127\.0\.0\.1:\d+ /)
    await redis.restart()
    expect(meanwhile.text).toBe(plain.text)
    expect(meanwhile.meter?.cache.source).toBe('none')
    const shared = async () => {
      await redis.flush()
      const tenant = `c${performance.now()}`
      await ask(one, tenant)
      return (await ask(two, tenant)).meter?.cache.source
    }
    await expect.poll(shared, { interval: 500 }).toBe('l2')
    expect(await problem()).toBeNull()
  })

  it('answer while Redis is frozen', async () => {
    const plain = await ask(without, 'd')
    await redis.freeze()
    const [first, second] = await Promise.all([ask(one, 'd'), ask(two, 'd')])
    await redis.thaw()
    expect([first.text, second.text]).toEqual([plain.text, plain.text])
    for (const { client } of [one, two]) {
      expect(await client.state()).toMatchObject({ meterMismatches: 0 })
    }
  })

  it('take no requests while they are drained, and take them again', async () => {
    const drained = await two.client.call('POST', '/drain', { draining: true })
    expect(drained.body).toMatchObject({ status: 'draining' })
    const asked = await two.client.request(prompt)
    const refused = await two.client.call('POST', '/generate', asked)
    expect([refused.status, refused.body]).toMatchObject([503, { error: { code: 'draining' } }])
    expect((await two.client.call('POST', '/drain', { draining: false })).body).toMatchObject({
      status: 'ready',
    })
    expect((await ask(two, 'a')).text).not.toBe('')
  })
})
