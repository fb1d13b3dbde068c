/** Whatever becomes of the server, an index on it only ever knows less, and holds up nobody. */
import type { PrefixIndex } from '@svc/contracts/ports/prefix-index'
import { describeOnOwnRedis } from '@svc/testing/redis/describe-on-redis'
import { type RedisServer, startRedisServer } from '@svc/testing/redis/redis-server'
import { until } from '@svc/testing/until'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FallbackPrefixIndex } from '../fallback-prefix-index.ts'
import { MemoryPrefixIndex } from '../memory/memory-prefix-index.ts'
import { newName } from '../testing/chains.ts'
import { connectedIndex } from '../testing/redis-under-test.ts'
import { OPEN_MS } from './circuit-breaker.ts'

/** Calls that at 50 ms each would not end within the time of a test. */
const MANY_CALLS = 5_000

describeOnOwnRedis('a prefix index on a Redis that', () => {
  let server: RedisServer
  let index: PrefixIndex
  let passedMs = 0
  const prompt = Array.from({ length: 6 }, newName)
  const clock = { nowMs: () => Date.now() + passedMs }

  beforeEach(async () => {
    passedMs = 0
    server = await startRedisServer({ maxmemory: '3mb', maxmemoryPolicy: 'noeviction' })
    index = await connectedIndex(server.url, { clock })
  })
  afterEach(async () => {
    await index.close()
    await server.close()
  })

  async function expectWell(): Promise<void> {
    await until(async () => {
      passedMs += OPEN_MS / 2
      await index.note('worker-a', prompt)
      return (await index.find(prompt))[0]?.blocks === 6
    })
  }

  async function callMany(): Promise<void> {
    for (let call = 0; call < MANY_CALLS; call += 1) {
      await index.note('worker-a', prompt)
      expect(await index.find(prompt)).toEqual([])
    }
  }

  test('is gone, and comes back empty', async () => {
    await index.note('worker-a', prompt)
    const { failures } = index
    await server.kill()
    await callMany()
    expect(index.failures).toBe(failures + 2 * MANY_CALLS)
    await server.restart()
    await expectWell()
  })

  test('is frozen', async () => {
    await server.freeze()
    await callMany()
    await server.thaw()
    await expectWell()
  })

  test('is slow', async () => {
    await server.command('CLIENT', 'PAUSE', 1_000, 'ALL')
    await callMany()
    await expectWell()
  })

  test('is full: what is there can be found', async () => {
    await index.note('worker-a', prompt)
    await server.command('SETRANGE', 'filling', 3_000_000, 'x')
    const other = Array.from({ length: 6 }, newName)
    const { failures } = index
    for (let call = 0; call < 20; call += 1) await index.note('worker-a', other)
    expect(index.failures).toBe(failures + 20)
    expect(await index.find(other)).toEqual([])
    expect(await index.find(prompt)).toEqual([{ instanceId: 'worker-a', blocks: 6 }])
    await server.flush()
    await expectWell()
  })

  test.each(['kill', 'freeze'] as const)(
    '%s: costs the local notes behind it no find and no time',
    async (strike) => {
      const both = new FallbackPrefixIndex({ shared: index, local: new MemoryPrefixIndex() })
      await both.note('worker-a', prompt)
      await server[strike]()
      for (let call = 0; call < MANY_CALLS; call += 1) {
        const other = [newName()]
        await both.note('worker-b', other)
        expect(await both.find(prompt)).toEqual([{ instanceId: 'worker-a', blocks: 6 }])
        expect(await both.find(other)).toEqual([{ instanceId: 'worker-b', blocks: 1 }])
      }
      if (strike === 'kill') await server.restart()
      else await server.thaw()
      await expectWell()
    },
  )
})
