import type { PrefixIndex } from '@svc/contracts/ports/prefix-index'
import { describeOnRedis } from '@svc/testing/redis/describe-on-redis'
import { startRedisServer } from '@svc/testing/redis/redis-server'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readSettings } from '../settings/settings.ts'
import { openPrefixIndex } from './open-prefix-index.ts'

const names = ['block-1', 'block-2']
/** No program listens there. */
const AWAY = 'redis://:changeit@127.0.0.1:1'

async function open(environment: Record<string, string>) {
  const said: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => said.push(line) })
  const index = await openPrefixIndex(readSettings(environment), logger)
  onTestFinished(() => index.close())
  return { index, said }
}

const placesIn = (index: PrefixIndex) => async () => {
  const places = await index.find(names)
  return places.map(({ instanceId }) => instanceId)
}

describe('the prefix index of a server', () => {
  test('without a Redis is its own', async () => {
    const { index } = await open({})
    await index.note('worker-1/a', names)
    expect(await index.find(names)).toEqual([{ instanceId: 'worker-1/a', blocks: 2 }])
    expect(await (await open({})).index.find(names)).toEqual([])
  })

  test('on a Redis that is away is its own, and says so once, without the password', async () => {
    const { index, said } = await open({ REDIS_URL: AWAY })
    await index.note('worker-1/a', names)
    expect(await index.find(names)).toEqual([{ instanceId: 'worker-1/a', blocks: 2 }])
    await expect.poll(() => said.length).toBe(1)
    await index.note('worker-1/b', names)
    expect(await index.find(names)).toHaveLength(2)
    expect(said).toHaveLength(1)
    expect(said.join('')).not.toContain('changeit')
  })
})

describeOnRedis('the prefix index of servers with one Redis', () => {
  test('is shared by those with the same prefix', async () => {
    const redis = await startRedisServer()
    onTestFinished(() => redis.close())
    const environment = { REDIS_URL: redis.url, SVC_REDIS_PREFIX: `test-${process.pid}.` }
    const first = await open(environment)
    const second = await open(environment)
    const other = await open({ ...environment, SVC_REDIS_PREFIX: `other-${process.pid}.` })
    const noted = async () => {
      await first.index.note('worker-1/a', names)
      return placesIn(second.index)()
    }
    // Nothing waits for the connections: notes are left out until they stand.
    await expect.poll(noted).toEqual(['worker-1/a'])
    expect(await placesIn(other.index)()).toEqual([])
    expect([...first.said, ...second.said, ...other.said]).toEqual([])
  })
})
