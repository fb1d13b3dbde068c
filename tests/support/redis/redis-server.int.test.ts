import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeOnOwnRedis } from './describe-on-redis.ts'
import { type RedisServer, startRedisServer } from './redis-server.ts'

describeOnOwnRedis('a Redis for tests', () => {
  let server: RedisServer
  beforeEach(async () => {
    server = await startRedisServer({ maxmemory: '3mb', maxmemoryPolicy: 'allkeys-lru' })
  })
  afterEach(() => server.close())

  test('does as it is told', async () => {
    const value = Buffer.from([0, 13, 10, 255])
    await server.command('SET', 'key', value)
    expect(await server.command('GET', 'key')).toEqual(value)
    expect(await server.command('GET', 'other')).toBeNull()
    expect(await server.command('STRLEN', 'key')).toBe(4)
    expect(await server.command('MGET', 'other', 'key')).toEqual([null, value])
    await expect(server.command('LPUSH', 'key', 1)).rejects.toThrow('WRONGTYPE')
    const policy = await server.command('CONFIG', 'GET', 'maxmemory-policy')
    expect(String(policy)).toBe('maxmemory-policy,allkeys-lru')
    await server.flush()
    expect(await server.command('GET', 'key')).toBeNull()
  })

  test('freezes and thaws, and keeps what it has', async () => {
    await server.command('SET', 'key', 'value')
    await server.freeze()
    await server.thaw()
    expect(String(await server.command('GET', 'key'))).toBe('value')
  })

  test('dies and comes back, empty, at the same address', async () => {
    await server.command('SET', 'key', 'value')
    await server.kill()
    await expect(server.command('PING')).rejects.toThrow()
    await server.restart()
    expect(await server.command('GET', 'key')).toBeNull()
  })
})
