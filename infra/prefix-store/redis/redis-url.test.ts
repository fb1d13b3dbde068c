import { describe, expect, test } from 'vitest'
import { addressText, type RedisAddress, readRedisUrl } from './redis-url.ts'

const plain: RedisAddress = {
  at: { host: 'cache.example', port: 6379 },
  isTls: false,
  username: undefined,
  password: undefined,
  database: 0,
}
const socket = { ...plain, at: { path: '/run/redis/redis.sock' } }

describe('the address of a Redis', () => {
  test.each<[string, RedisAddress]>([
    ['redis://cache.example', plain],
    ['redis://cache.example:6379/', plain],
    [' redis://cache.example:6379/0 ', plain],
    [
      'redis://cache.example:7000/3',
      { ...plain, at: { host: 'cache.example', port: 7000 }, database: 3 },
    ],
    ['redis://cache.example?db=3', { ...plain, database: 3 }],
    ['rediss://cache.example', { ...plain, isTls: true }],
    ['redis://:p%40ss%2F@cache.example', { ...plain, password: 'p@ss/' }],
    ['redis://svc:pass@cache.example', { ...plain, username: 'svc', password: 'pass' }],
    ['redis://127.0.0.1:1', { ...plain, at: { host: '127.0.0.1', port: 1 } }],
    ['redis://[::1]:1', { ...plain, at: { host: '::1', port: 1 } }],
    ['/run/redis/redis.sock', socket],
    ['unix:///run/redis/redis.sock', socket],
    ['unix:///run/redis/redis.sock?db=2', { ...socket, database: 2 }],
    ['unix://svc:pass@/run/redis/redis.sock', { ...socket, username: 'svc', password: 'pass' }],
  ])('is understood: %s', (text, address) => {
    expect(readRedisUrl(text)).toEqual({ ok: true, address })
  })

  test.each([
    '',
    'cache.example:6379',
    'http://cache.example',
    'redis://',
    'redis:///1',
    'redis://cache.example:99999',
    'redis://cache.example/x',
    'redis://cache.example/1/2',
    'redis://cache.example/70000',
    'redis://cache.example/1?db=2',
    'redis://cache.example?tls=true',
    'redis://cache.example#1',
    'redis://svc@cache.example',
    'redis://:hunter2%zz@cache.example',
    'redis://:hunter2/@cache.example',
    'redis://:hunter2?@cache.example',
    'redis://:hunter2#@cache.example',
    'redis://:hunter2@',
    'redis://hunter2@ cache.example',
    'unix://cache/run/redis.sock',
    'unix:///',
    'sentinel://:hunter2@cache.example',
  ])('that cannot be used is refused, and not repeated: %j', (text) => {
    const read = readRedisUrl(text)
    expect(read.ok).toBe(false)
    expect(read).not.toMatchObject({ message: expect.stringContaining('hunter2') })
    expect(read).not.toMatchObject({ message: expect.stringContaining('cache.example') })
  })

  test.each([
    ['redis://svc:hunter2@cache.example:7000/1', 'cache.example:7000'],
    ['unix://svc:hunter2@/run/redis.sock', '/run/redis.sock'],
  ])('is shown without user and password: %s', (text, place) => {
    const read = readRedisUrl(text)
    expect(read.ok ? addressText(read.address) : read.message).toBe(place)
  })
})
