/**
 * What repeated prompts cost on two workers when the Redis that is configured is away: what they
 * cost a server that never had one. Each worker that computes a prompt again would make it dearer.
 */
import { describeOnOwnRedis } from '@svc/testing/redis/describe-on-redis'
import { type RedisServer, startRedisServer } from '@svc/testing/redis/redis-server'
import { type RunningServer, startRunningServer } from '@svc/testing/running-server'
import { expect, test } from 'vitest'

const RULES = 'You answer in one word. '.repeat(60)
const REPEATS = 4

type Strike = (redis: RedisServer) => Promise<unknown>

/** In this order: each begins with a prompt of its own on a Redis that answers. */
const losses: readonly (readonly [string, Strike, Strike])[] = [
  ['killed', (redis) => redis.kill(), (redis) => redis.restart()],
  ['frozen', (redis) => redis.freeze(), (redis) => redis.thaw()],
]

async function startFleet(environment: Readonly<Record<string, string>>): Promise<RunningServer> {
  const server = await startRunningServer({ SVC_WORKERS: '2', ...environment })
  const statuses = async () => (await server.operations.listWorkers()).map((each) => each.status)
  await expect.poll(statuses).toEqual(['ready', 'ready'])
  return server
}

/** Asks the same thing, and says what was charged for it: `[computed, cached, amount]`. */
async function charged(server: RunningServer, name: string) {
  const messages = [
    { role: 'system', content: `${name}. ${RULES}` },
    { role: 'user', content: 'What is the capital of France?' },
  ]
  const answer = await server.chat({ messages, max_tokens: 4 })
  expect(answer.status, await answer.clone().text()).toBe(200)
  const receipt = await server.operations.explain({
    request_id: answer.headers.get('x-request-id') ?? '',
  })
  return [receipt.usage.input_tokens, receipt.usage.cached_input_tokens, receipt.amount]
}

async function repeated(server: RunningServer, name: string) {
  const charges = []
  for (let repeat = 0; repeat < REPEATS; repeat += 1) charges.push(await charged(server, name))
  return charges
}

describeOnOwnRedis('repeated prompts on a Redis that is', () => {
  test('killed or frozen, before or between them, cost what they cost without one', async () => {
    await using cleanup = new AsyncDisposableStack()
    const redis = await startRedisServer()
    cleanup.defer(() => redis.close())
    const without = await startFleet({})
    const server = await startFleet({ REDIS_URL: redis.url })
    for (const [name, strike, mend] of losses) {
      const expected = await repeated(without, name)
      expect(expected[0]?.[1]).toBe(0)
      expect(expected[1]?.[1]).toBeGreaterThan(0)
      const first = await charged(server, name)
      await strike(redis)
      const others = []
      for (let repeat = 1; repeat < REPEATS; repeat += 1) others.push(await charged(server, name))
      expect([first, ...others], `${name} between them`).toEqual(expected)
      expect(await repeated(server, `${name}!`), `${name} before`).toEqual(
        await repeated(without, `${name}!`),
      )
      await mend(redis)
      expect(await repeated(server, `${name}?`), `${name} and back`).toEqual(
        await repeated(without, `${name}?`),
      )
    }
  })
})
