import { describeOnRedis } from '@svc/testing/redis/describe-on-redis'
import { type RedisServer, startRedisServer } from '@svc/testing/redis/redis-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describePrefixIndex } from '../prefix-index.suite.ts'
import { newName } from '../testing/chains.ts'
import { connectedIndex, newKeyPrefix, UNHURRIED } from '../testing/redis-under-test.ts'

describeOnRedis('a real Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedisServer()
  })
  afterAll(() => server.close())

  describePrefixIndex('Redis', async (ttlMs) => {
    let passedMs = 0
    const clock = { nowMs: () => Date.now() + passedMs }
    const index = await connectedIndex(server.url, { ttlMs, clock, ...UNHURRIED })
    return {
      index,
      async pass(ms) {
        passedMs += ms
      },
    }
  })

  describe('a prefix index in Redis', () => {
    const prompt = Array.from({ length: 10 }, newName)
    const [name] = prompt.slice(3)

    test('is shared by who has the same prefix, and by nobody else', async () => {
      const keyPrefix = newKeyPrefix()
      const [here, there] = await Promise.all([
        connectedIndex(server.url, { keyPrefix, ...UNHURRIED }),
        connectedIndex(server.url, { keyPrefix, ...UNHURRIED }),
      ])
      const other = await connectedIndex(server.url, UNHURRIED)
      await here.note('worker-a', prompt)
      expect(await there.find(prompt)).toEqual([{ instanceId: 'worker-a', blocks: 10 }])
      expect(await other.find(prompt)).toEqual([])
      await Promise.all([here, there, other].map((index) => index.close()))
    })

    test('leaves nothing behind that does not end by itself, and never many holders', async () => {
      const keyPrefix = newKeyPrefix()
      const index = await connectedIndex(server.url, { keyPrefix, ttlMs: 50_000, ...UNHURRIED })
      for (let worker = 0; worker < 30; worker += 1) await index.note(`worker-${worker}`, prompt)
      const keys = await server.command('KEYS', `${keyPrefix}*`)
      expect(keys).toHaveLength(6)
      for (const key of [keys].flat()) {
        const livesMs = await server.command('PTTL', String(key))
        expect(livesMs).toBeGreaterThan(0)
        expect(livesMs).toBeLessThanOrEqual(50_000)
        expect(await server.command('ZCARD', String(key))).toBe(16)
      }
      await index.close()
    })

    test('removes what is not its own, and then notes as before', async () => {
      const keyPrefix = newKeyPrefix()
      const index = await connectedIndex(server.url, { keyPrefix, ...UNHURRIED })
      const failuresBefore = index.failures
      await server.command('SET', `${keyPrefix}pl:${name}`, 'something else')
      expect(await index.find(prompt)).toEqual([])
      await index.note('worker-a', prompt.slice(0, 4))
      expect(await index.find(prompt)).toEqual([{ instanceId: 'worker-a', blocks: 4 }])
      expect(index.failures).toBe(failuresBefore)
      await index.close()
    })
  })
})
