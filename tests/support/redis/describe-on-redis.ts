/**
 * For tests: what is said of a real Redis. Where there is none the tests are skipped and say why;
 * in CI that is a failure, because nobody reads there what was skipped.
 */
import { describe, expect, test } from 'vitest'
import { redisPlace } from './redis-server.ts'

export function describeOnRedis(name: string, body: () => void): void {
  if (redisPlace() !== 'missing') describe(name, body)
  else describeMissing(name)
}

/** For faults: only of a server that the test itself has started. */
export function describeOnOwnRedis(name: string, body: () => void): void {
  const place = redisPlace()
  if (place === 'missing') describeMissing(name)
  else if (place !== 'given') describe(name, body)
  else describe.skip(`${name} [not on a server that REDIS_URL names: it may not be broken]`, body)
}

/** For what the server shares with the test beside its port: files, and a Unix socket. */
export function describeOnRedisProcess(name: string, body: () => void): void {
  if (redisPlace() !== 'container') describeOnOwnRedis(name, body)
  else describe.skip(`${name} [a Redis in a container does not see the files of the test]`, body)
}

function describeMissing(name: string): void {
  if (process.env.CI) {
    test(`${name} needs a redis-server, a container engine, or REDIS_URL`, () => {
      expect(redisPlace()).not.toBe('missing')
    })
    return
  }
  describe.skip(`${name} [no redis-server, no container engine, and REDIS_URL is not set]`, () => {
    test('is not shown here', () => {})
  })
}
