import { randomUUID } from 'node:crypto'
import { describeOnOwnRedis, describeOnRedis } from '@svc/testing/redis/describe-on-redis'
import { type RedisServer, startRedisServer } from '@svc/testing/redis/redis-server'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { describeRateLimits } from './rate-limits.suite.ts'
import { RedisRateLimits } from './redis-rate-limits.ts'

describeOnRedis('a real Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedisServer()
  })
  afterAll(() => server.close())

  describeRateLimits('Redis', () => new RedisRateLimits({ url: server.url, keyPrefix: 'svc.' }))

  test('gateways that share it count together, under the names that it was given', async () => {
    const keyPrefix = `${randomUUID()}.`
    const gateways = [1, 2].map(() => new RedisRateLimits({ url: server.url, keyPrefix }))
    const [here, there] = gateways.map((each) => each.open('key', 100, 60))
    await expect
      .poll(async () => {
        await here?.take('a')
        return (await there?.look('a'))?.remaining
      })
      .toBeLessThan(100)
    const keys = await server.command('KEYS', `${keyPrefix}*`)
    expect([keys].flat().map(String)).toEqual([`${keyPrefix}rate.key:a`])
    for (const gateway of gateways) await gateway.close()
  })
})

describeOnOwnRedis('a Redis that fails', () => {
  let server: RedisServer
  const limits: RedisRateLimits[] = []
  beforeAll(async () => {
    server = await startRedisServer()
  })
  afterEach(async () => {
    for (const each of limits.splice(0)) await each.close()
  })
  afterAll(() => server.close())

  test.each(['kill', 'freeze'] as const)(
    '(%s) leaves each gateway its own count',
    async (fault) => {
      const shared = new RedisRateLimits({ url: server.url, keyPrefix: `${randomUUID()}.` })
      limits.push(shared)
      const limit = shared.open('key', 2, 60)
      await expect.poll(async () => (await limit.take('warm')).remaining).toBeLessThan(2)
      await server[fault]()
      const beganMs = performance.now()
      const seen = []
      for (let count = 0; count < 3; count += 1) seen.push((await limit.take('b')).allowed)
      expect(performance.now() - beganMs).toBeLessThan(2_000)
      expect(seen).toEqual([true, true, false])
      await (fault === 'kill' ? server.restart() : server.thaw())
    },
  )
})
