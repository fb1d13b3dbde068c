import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describeOnOwnRedis, describeOnRedis } from '@svc/testing/redis/describe-on-redis'
import { type RedisServer, startRedisServer } from '@svc/testing/redis/redis-server'
import { until } from '@svc/testing/until'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { body, describeExpiringStore, noon } from '../expiring-store.suite.ts'
import { answerBounds } from '../store-bounds.ts'
import {
  RedisExpiringStore,
  type RedisExpiringStoreOptions,
  SharedTextsAwayError,
} from './redis-expiring-store.ts'

/** How long a call waits for a Redis. */
const CALL_WITHIN_MS = 250

const secret = 'a secret that all gateways have'

describeOnRedis('a real Redis', () => {
  let server: RedisServer
  const opened: RedisExpiringStore[] = []
  beforeAll(async () => {
    server = await startRedisServer()
  })
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close()
  })
  afterAll(() => server.close())

  function open(options: Partial<RedisExpiringStoreOptions> = {}) {
    const store = new RedisExpiringStore({
      url: server.url,
      keyPrefix: `test-${randomUUID()}.`,
      kind: 'answers',
      secret,
      bounds: answerBounds,
      onProblem: () => {},
      ...options,
    })
    opened.push(store)
    return store
  }

  describeExpiringStore('Redis', async (bounds) => connected(open({ bounds })))

  test('is shared by gateways with one secret, and tells others nothing', async () => {
    const keyPrefix = `test-${randomUUID()}.`
    const here = await connected(open({ keyPrefix }))
    const there = await connected(open({ keyPrefix }))
    const stranger = await connected(open({ keyPrefix, secret: 'another secret than that' }))
    const otherKind = await connected(open({ keyPrefix, kind: 'responses' }))
    await here.save('acct_1', 'req_1', body, noon)
    expect(await there.load('acct_1', 'req_1', noon - 1)).toBe(body)
    expect(await stranger.load('acct_1', 'req_1', noon - 1)).toBeUndefined()
    expect(await otherKind.load('acct_1', 'req_1', noon - 1)).toBeUndefined()
  })

  test('lies there sealed, under names that say nothing, and ends by itself', async () => {
    const keyPrefix = `test-${randomUUID()}.`
    const store = await connected(open({ keyPrefix }))
    await store.save('acct_secretive', 'req_canary', 'the canary sings', noon)
    const keys = [await server.command('KEYS', `${keyPrefix}*`)].flat().map(String)
    expect(keys.length).toBeGreaterThan(3)
    for (const key of keys) {
      expect(key).not.toMatch(/secretive|canary/)
      expect(await server.command('PTTL', key)).toBeGreaterThan(0)
      const dump = await server.command('DUMP', key)
      expect(String(dump)).not.toMatch(/secretive|canary/)
    }
  })

  test('a text that was altered or moved there was never kept', async () => {
    const keyPrefix = `test-${randomUUID()}.`
    const store = await connected(open({ keyPrefix }))
    await store.save('acct_1', 'req_1', body, noon)
    await store.save('acct_1', 'req_2', 'another', noon)
    const keys = [await server.command('KEYS', `${keyPrefix}*:at:*`)].flat().map(String)
    const [one = '', other = ''] = keys
    const sealed = await server.command('HGET', one, 's')
    await server.command('HSET', other, 's', sealed as Buffer)
    const found = ['req_1', 'req_2'].map((id) => store.load('acct_1', id, noon - 1))
    expect((await Promise.all(found)).filter((text) => text === undefined)).toHaveLength(1)
  })

  test('goes on when the server has thrown counts away', async () => {
    const keyPrefix = `test-${randomUUID()}.`
    const store = await connected(
      open({ keyPrefix, bounds: { maxAccountBytes: 10_000, maxTotalBytes: 20_000 } }),
    )
    const text = 'x'.repeat(1_000)
    for (const lost of ['room', 'total', 'expiry', 'of:*', 'sizes:*']) {
      for (let at = 0; at < 15; at += 1) await store.save('acct_1', `${lost}_${at}`, text, noon)
      const keys = [await server.command('KEYS', `${keyPrefix}k:answers:${lost}`)].flat()
      for (const key of keys) await server.command('DEL', String(key))
      await store.save('acct_1', 'last', text, noon)
      expect(await store.load('acct_1', 'last', noon - 1)).toBe(text)
    }
  })
})

describeOnOwnRedis('a Redis that fails', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedisServer()
  })
  afterAll(() => server.close())

  test.each(['kill', 'freeze'] as const)(
    '(%s) is told soon by every method, and used again afterwards',
    async (fault) => {
      const store = await connected(
        new RedisExpiringStore({
          url: server.url,
          keyPrefix: `test-${randomUUID()}.`,
          kind: 'answers',
          secret,
          bounds: answerBounds,
          onProblem: () => {},
        }),
      )
      await server[fault]()
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      const calls = [
        store.save('acct_1', 'req_1', body, noon),
        store.load('acct_1', 'req_1', 0),
        store.remove('acct_1', 'req_1'),
      ].map((each) => expect(each).rejects.toThrow(SharedTextsAwayError))
      await vi.advanceTimersByTimeAsync(CALL_WITHIN_MS)
      await Promise.all(calls)
      vi.useRealTimers()
      await (fault === 'kill' ? server.restart() : server.thaw())
      await connected(store)
      await store.close()
    },
  )
})

describeOnOwnRedis('a Redis with users', () => {
  test('needs no right beyond those that the pages name', async () => {
    const rights = ['run-several-workers.md', 'run-several-gateways.md'].flatMap((page) => {
      const text = readFileSync(new URL(`../../../docs/how-to/${page}`, import.meta.url), 'utf8')
      return text.match(/(?<=[\s`])\+[a-z]+(?=[\s`])/g) ?? []
    })
    expect(rights.length).toBeGreaterThan(20)
    const user = ['--user', 'svc', 'on', '>hunter2', '~svc.*', ...rights]
    const server = await startRedisServer({ settings: user })
    const store = new RedisExpiringStore({
      url: server.url.replace('://', '://svc:hunter2@'),
      keyPrefix: 'svc.',
      kind: 'answers',
      secret,
      onProblem: () => {},
      bounds: { maxAccountBytes: 10_000, maxTotalBytes: 12_000 },
    })
    await connected(store)
    for (const account of ['acct_1', 'acct_2']) {
      for (let at = 0; at < 15; at += 1) {
        await store.save(account, `req_${at}`, 'x'.repeat(1_000), noon)
      }
    }
    // Counts that were thrown away are made anew, by commands that nothing else sends.
    for (const lost of ['of:*', 'sizes:*']) {
      for (const key of [await server.command('KEYS', `svc.k:answers:${lost}`)].flat()) {
        await server.command('DEL', String(key))
      }
    }
    await store.save('acct_1', 'last', 'x'.repeat(1_000), noon)
    expect(await store.load('acct_1', 'last', noon - 1)).toBeDefined()
    expect(await store.remove('acct_1', 'last')).toBe(true)
    expect(await store.removeExpired(noon, 100)).toBeGreaterThan(0)
    await store.close()
    await server.close()
  })
})

/** It connects beside; until then nothing is kept. */
async function connected(store: RedisExpiringStore): Promise<RedisExpiringStore> {
  await until(() =>
    store.load('acct_0', 'none', 0).then(
      () => true,
      () => false,
    ),
  )
  return store
}
