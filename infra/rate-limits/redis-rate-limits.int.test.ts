import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describeOnOwnRedis, describeOnRedis } from '@svc/testing/redis/describe-on-redis'
import { type RedisServer, startRedisServer } from '@svc/testing/redis/redis-server'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { describeRateLimits } from './rate-limits.suite.ts'
import { RedisRateLimits } from './redis-rate-limits.ts'

/** How long each call waits for a Redis. */
const CALL_WITHIN_MS = 250

describeOnRedis('a real Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedisServer()
  })
  afterAll(() => server.close())

  describeRateLimits('Redis', async () => {
    const limits = new RedisRateLimits({ url: server.url, keyPrefix: 'svc.' })
    await untilCounting(limits, server)
    return limits
  })

  test('gateways that share it count together, under the names that it was given', async () => {
    const keyPrefix = `${randomUUID()}.`
    await expectCountedTogether(server.url, keyPrefix)
    const keys = await server.command('KEYS', `${keyPrefix}*`)
    expect([keys].flat().map(String)).toEqual([`${keyPrefix}rate.key:a`])
  })

  test('gateways count together as a user with the rights that our pages list', async () => {
    await server.command('ACL', 'SETUSER', 'svc', 'on', '>hunter2', '~svc.*', ...rightsOnPages())
    const url = server.url.replace('redis://', 'redis://svc:hunter2@')
    await expectCountedTogether(url, 'svc.')
    expect(await isForbiddenToCount(url, server)).toBe(false)
  })

  test.each(['evalsha', 'pttl', 'multi', 'exec'])(
    'a user without the right to %s is told of: each gateway counts for itself',
    async (command) => {
      const rights = [...rightsOnPages(), `-${command}`]
      await server.command('ACL', 'SETUSER', 'less', 'on', '>hunter3', '~svc.*', ...rights)
      const url = server.url.replace('redis://', 'redis://less:hunter3@')
      expect(await isForbiddenToCount(url, server)).toBe(true)
    },
  )
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
      await untilCounting(shared, server)
      await server[fault]()
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      const seen = []
      for (let count = 0; count < 3; count += 1) {
        const use = limit.take('b')
        await vi.advanceTimersByTimeAsync(CALL_WITHIN_MS)
        seen.push((await use).allowed)
      }
      vi.useRealTimers()
      expect(seen).toEqual([true, true, false])
      await (fault === 'kill' ? server.restart() : server.thaw())
    },
  )
})

async function expectCountedTogether(url: string, keyPrefix: string): Promise<void> {
  const gateways = [1, 2].map(() => new RedisRateLimits({ url, keyPrefix }))
  const [here, there] = gateways.map((each) => each.open('key', 100, 60))
  await expect
    .poll(async () => {
      await here?.take('a')
      return (await there?.look('a'))?.remaining
    })
    .toBeLessThan(100)
  for (const gateway of gateways) await gateway.close()
}

/**
 * Waits for the second use that the Redis has counted of these limits, or for what else may end the
 * wait. By then the client has heard all that it asked when it connected: answers come in order.
 */
async function untilCounting(
  limits: RedisRateLimits,
  server: RedisServer,
  isOver = () => false,
): Promise<void> {
  const limit = limits.open('probe', 1, 60)
  const name = randomUUID()
  const counted = async () => {
    await limit.take(name)
    const [key] = [await server.command('KEYS', `*rate.probe:${name}`)].flat()
    return key === undefined ? 0 : Number(String(await server.command('GET', String(key))))
  }
  await expect.poll(async () => isOver() || (await counted()) > 1).toBe(true)
}

async function isForbiddenToCount(url: string, server: RedisServer): Promise<boolean> {
  let isForbidden = false
  const onForbidden = () => {
    isForbidden = true
  }
  const limits = new RedisRateLimits({ url, keyPrefix: 'svc.', onForbidden })
  await untilCounting(limits, server, () => isForbidden)
  await limits.close()
  return isForbidden
}

/** Those of workers, and those that gateways need beside them. */
function rightsOnPages(): readonly string[] {
  const [workers, gateways] = ['run-several-workers', 'run-several-gateways'].map((page) => {
    const path = fileURLToPath(new URL(`../../docs/how-to/${page}.md`, import.meta.url))
    return readFileSync(path, 'utf8').match(/(?<=[\s`])\+[a-z]+/g) ?? []
  })
  return [...(workers ?? []), ...(gateways ?? [])]
}
