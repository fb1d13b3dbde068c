/** What lies in Redis and is not what its name says is a miss, is removed, and can be put again. */
import type { PrefixBlock, PrefixStore } from '@svc/contracts/ports/prefix-store'
import { describeOnRedis } from '@svc/testing/redis/describe-on-redis'
import { type RedisServer, startRedisServer } from '@svc/testing/redis/redis-server'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeChain, namesOf, plain } from '../testing/chains.ts'
import { connectedStore, newKeyPrefix, UNHURRIED } from '../testing/redis-under-test.ts'

const BLOCK_BYTES = 5_000
const BLOCK_BYTES_MAX = 6_000

describeOnRedis('a block in a real Redis', () => {
  let server: RedisServer
  let store: PrefixStore
  let keyPrefix = ''
  let chain: readonly PrefixBlock[] = []
  /** The key of the block in the middle of three. */
  let key = ''
  let value: Buffer = Buffer.alloc(0)

  beforeAll(async () => {
    server = await startRedisServer()
  })
  afterAll(() => server.close())
  beforeEach(async () => {
    keyPrefix = newKeyPrefix()
    store = await connectedStore(server.url, {
      keyPrefix,
      blockBytesMax: BLOCK_BYTES_MAX,
      ...UNHURRIED,
    })
    chain = makeChain({ blocks: 3, blockBytes: BLOCK_BYTES })
    await store.put('acct_1', chain)
    key = await keyOf(chain[1]?.name ?? '')
    value = await valueAt(key)
  })
  afterEach(() => store.close())

  async function keyOf(name: string): Promise<string> {
    const keys = [await server.command('KEYS', `*:b:${name}`)].flat().map(String)
    expect(keys).toHaveLength(1)
    return keys[0] ?? ''
  }

  async function valueAt(at: string): Promise<Buffer> {
    const found = await server.command('GET', at)
    if (!Buffer.isBuffer(found)) throw new Error(`no text at ${at}`)
    return found
  }

  /** Counts the bytes that the server has sent to all. */
  async function sentBytes(): Promise<number> {
    const [, bytes] =
      /total_net_output_bytes:(\d+)/.exec(String(await server.command('INFO', 'stats'))) ?? []
    return Number(bytes)
  }

  /** The chain ends before the block, its key is gone, and it can be put again. */
  async function expectMissAndHealing(): Promise<void> {
    const before = store.usage()
    expect(plain(await store.get(namesOf(chain)))).toEqual(plain(chain.slice(0, 1)))
    expect(store.usage()).toMatchObject({
      corrupt: before.corrupt + 1,
      failures: before.failures,
      hits: before.hits + 1,
      misses: before.misses + 2,
    })
    expect(await server.command('EXISTS', key)).toBe(0)
    await store.put('acct_1', chain)
    expect(plain(await store.get(namesOf(chain)))).toEqual(plain(chain))
    expect(store.usage().corrupt).toBe(before.corrupt + 1)
  }

  test.each([
    ['version', 0],
    ['nonce', 5],
    ['tag', 20],
    ['parent', 35],
    ['token ids', 300],
    ['keys and values', 600],
    ['last byte', 28 + 530 + BLOCK_BYTES],
  ])('with a bit flipped in: %s', async (_region, at) => {
    value[at] = (value[at] ?? 0) ^ 4
    await server.command('SET', key, value)
    await expectMissAndHealing()
  })

  test.each([1, 28, 29, 500, 558, 5_000])('cut off after %i bytes', async (length) => {
    await server.command('SET', key, value.subarray(0, length))
    await expectMissAndHealing()
  })

  test('with bytes behind it', async () => {
    await server.command('APPEND', key, 'x')
    await expectMissAndHealing()
  })

  test('larger than any block of ours: it is not even read', async () => {
    await server.command('SET', key, Buffer.alloc(20_000_000))
    const before = await sentBytes()
    await expectMissAndHealing()
    expect((await sentBytes()) - before).toBeLessThan(1_000_000)
  })

  test.each([{ fingerprint: 'another model' }, { secret: 'another secret' }])(
    'sealed with %j',
    async (options) => {
      const foreignPrefix = newKeyPrefix()
      const other = await connectedStore(server.url, {
        keyPrefix: foreignPrefix,
        ...UNHURRIED,
        ...options,
      })
      await server.command('DEL', key)
      await other.put('acct_1', chain)
      const [foreign] = [
        await server.command('KEYS', `${foreignPrefix}*:b:${chain[1]?.name}`),
      ].flat()
      await server.command('SET', key, await valueAt(String(foreign)))
      await other.close()
      await expectMissAndHealing()
    },
  )

  test('that is another block, moved to its name', async () => {
    await server.command('SET', key, await valueAt(await keyOf(chain[0]?.name ?? '')))
    await expectMissAndHealing()
  })

  test.each(['LPUSH', 'SADD'])('that is no text but was made by %s', async (command) => {
    await server.command('DEL', key)
    await server.command(command, key, 'x')
    await expectMissAndHealing()
  })

  test('that is empty is a miss, and can be put again', async () => {
    await server.command('SET', key, '')
    expect(await store.has(namesOf(chain))).toBe(1)
    expect(await store.get(namesOf(chain))).toHaveLength(1)
    await store.put('acct_1', chain)
    expect(plain(await store.get(namesOf(chain)))).toEqual(plain(chain))
  })

  test('of another kind is replaced by who puts the block, unseen', async () => {
    await server.command('DEL', key)
    await server.command('LPUSH', key, 'x')
    await store.put('acct_1', chain)
    expect(plain(await store.get(namesOf(chain)))).toEqual(plain(chain))
  })
})
