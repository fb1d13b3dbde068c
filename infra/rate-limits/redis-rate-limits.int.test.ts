import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describeOnOwnRedis, describeOnRedis } from '@svc/testing/redis/describe-on-redis'
import { type RedisServer, startRedisServer } from '@svc/testing/redis/redis-server'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { describeRateLimits } from './rate-limits.suite.ts'
import { RedisRateLimits } from './redis-rate-limits.ts'

/** For a connection and one answer on this machine. */
const TOLD_WITHIN_MS = 1_000

describeOnRedis('a real Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedisServer()
  })
  afterAll(() => server.close())

  describeRateLimits('Redis', () => new RedisRateLimits({ url: server.url, keyPrefix: 'svc.' }))

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
    expect(await isForbiddenToCount(url)).toBe(false)
  })

  test.each(['evalsha', 'pttl', 'multi', 'exec'])(
    'a user without the right to %s is told of: each gateway counts for itself',
    async (command) => {
      const rights = [...rightsOnPages(), `-${command}`]
      await server.command('ACL', 'SETUSER', 'less', 'on', '>hunter3', '~svc.*', ...rights)
      const url = server.url.replace('redis://', 'redis://less:hunter3@')
      expect(await isForbiddenToCount(url)).toBe(true)
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

async function isForbiddenToCount(url: string): Promise<boolean> {
  let isForbidden = false
  const onForbidden = () => {
    isForbidden = true
  }
  const limits = new RedisRateLimits({ url, keyPrefix: 'svc.', onForbidden })
  await setTimeout(TOLD_WITHIN_MS)
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
