import { describeOnRedis } from '@svc/testing/redis/describe-on-redis'
import { type RedisServer, startRedisServer } from '@svc/testing/redis/redis-server'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { describePrefixStore } from '../prefix-store.suite.ts'
import { makeChain, namesOf, newName, plain } from '../testing/chains.ts'
import { connectedStore, newKeyPrefix, UNHURRIED } from '../testing/redis-under-test.ts'

const MIB = 1024 * 1024
const TTL_MS = 60_000

describeOnRedis('a real Redis', () => {
  let server: RedisServer
  let keyPrefix = ''
  const opened: { close(): Promise<void> }[] = []
  beforeAll(async () => {
    server = await startRedisServer()
  })
  afterAll(() => server.close())
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()))
  })

  async function open(options: Parameters<typeof connectedStore>[1] = {}) {
    const own = { keyPrefix, blockTtlMs: TTL_MS, ...UNHURRIED }
    const store = await connectedStore(server.url, { ...own, ...options })
    opened.push(store)
    return store
  }

  async function keys(): Promise<readonly string[]> {
    return [await server.command('KEYS', `${keyPrefix}*`)].flat().map(String).toSorted()
  }

  async function endsInMs(key: string): Promise<number> {
    return Number(await server.command('PTTL', key))
  }

  describePrefixStore('Redis', () => {
    keyPrefix = newKeyPrefix()
    return connectedStore(server.url, { keyPrefix, ...UNHURRIED })
  })

  describe('a prefix store in Redis', () => {
    test('is shared by workers', async () => {
      keyPrefix = newKeyPrefix()
      const [here, there] = [await open(), await open()]
      const chain = makeChain({ blocks: 3 })
      await here.put('acct_1', chain)
      expect(plain(await there.get(namesOf(chain)))).toEqual(plain(chain))
      const claim = await here.claim(newName(), TTL_MS)
      expect(claim).not.toBeNull()
    })

    test('lets one of several workers compute what all of them miss', async () => {
      keyPrefix = newKeyPrefix()
      const [here, there] = [await open(), await open()]
      const name = newName()
      const claim = await here.claim(name, TTL_MS)
      expect(await there.claim(name, TTL_MS)).toBeNull()
      expect(await there.claim(newName(), TTL_MS)).not.toBeNull()
      await claim?.release()
      expect(await there.claim(name, TTL_MS)).not.toBeNull()
      const held = (await keys()).filter((key) => key.includes(':c:'))
      expect(held).toHaveLength(2)
      for (const key of held) expect(await endsInMs(key)).toBeGreaterThan(0)
    })

    test('reads and writes prompts that are larger than one piece', async () => {
      keyPrefix = newKeyPrefix()
      const store = await open()
      const chain = makeChain({ blocks: 9, blockBytes: 3 * MIB })
      await store.put('acct_1', chain)
      const read = await store.get(namesOf(chain))
      expect(read).toHaveLength(9)
      for (const [at, { bytes }] of read.entries()) {
        expect(Buffer.compare(bytes, chain[at]?.bytes ?? new Uint8Array())).toBe(0)
      }
      const many = makeChain({ blocks: 200 })
      await store.put('acct_1', many)
      expect(namesOf(await store.get(namesOf(many)))).toEqual(namesOf(many))
    })

    test('returns what it has read when it is asked to end', async () => {
      keyPrefix = newKeyPrefix()
      const store = await open()
      const chain = makeChain({ blocks: 9, blockBytes: 3 * MIB })
      await store.put('acct_1', chain)
      const { failures } = store.usage()
      const abort = new AbortController()
      const reading = store.get(namesOf(chain), abort.signal)
      setTimeout(() => abort.abort(), 5)
      const read = await reading
      expect(namesOf(read)).toEqual(namesOf(chain).slice(0, read.length))
      expect(read.length).toBeLessThan(9)
      expect(store.usage().failures).toBe(failures)
      expect(await store.get(namesOf(chain))).toHaveLength(9)
    })

    test('shows nothing of prompts and tenants to who can read all of it', async () => {
      keyPrefix = newKeyPrefix()
      const store = await open()
      const [block] = makeChain({ blocks: 1 })
      const bytes = new TextEncoder().encode('the prompt itself '.repeat(50))
      const tokens = new Int32Array(128).fill(0x6c6c6c6c)
      if (block === undefined) throw new Error('a chain of one block')
      await store.put('acct_canary', [{ ...block, tokens, bytes }])
      const all = await keys()
      expect(all).toHaveLength(2)
      expect(all.join()).not.toContain('acct')
      const lying = await Promise.all(all.map((key) => server.command('GET', key)))
      expect(lying.join()).not.toContain('prompt')
      expect(lying.join()).not.toContain('llll')
    })

    test('keeps a block alive that is read, and lets all others end', async () => {
      keyPrefix = newKeyPrefix()
      const store = await open()
      const chain = makeChain({ blocks: 3 })
      await store.put('acct_1', chain)
      const all = await keys()
      for (const key of all) expect(await endsInMs(key)).toBeGreaterThan(0)
      const blocks = all.filter((key) => key.includes(':b:'))
      for (const key of blocks) await server.command('PEXPIRE', key, TTL_MS / 10)
      await store.has(namesOf(chain))
      await store.get(namesOf(chain).slice(0, 2))
      const living = await Promise.all(blocks.map(endsInMs))
      expect(living.filter((ms) => ms > TTL_MS / 10)).toHaveLength(2)
      expect(Math.max(...living)).toBeLessThanOrEqual(TTL_MS)
    })

    test('writes only what is missing', async () => {
      keyPrefix = newKeyPrefix()
      const [store, other] = [await open(), await open()]
      const chain = makeChain({ blocks: 6 })
      await store.put('acct_1', chain.slice(0, 4))
      await other.put('acct_1', chain)
      expect(other.usage().writes).toBe(2)
      await other.put('acct_1', chain)
      expect(other.usage().writes).toBe(2)
    })

    test('refuses a block that is too large, and what hangs on it', async () => {
      keyPrefix = newKeyPrefix()
      const store = await open({ blockBytesMax: 1_000 })
      const small = makeChain({ blocks: 2, blockBytes: 1_000 })
      const parent = small.at(-1)?.name ?? null
      const large = makeChain({ blocks: 2, blockBytes: 1_001, parent })
      await store.put('acct_1', [...small, ...large])
      expect(await store.has(namesOf([...small, ...large]))).toBe(2)
      expect(store.usage()).toMatchObject({ writes: 2, refused: 2 })
    })

    test('bounds what a tenant writes within a span of time', async () => {
      let nowMs = Date.now()
      keyPrefix = newKeyPrefix()
      const options = { tenantBytesMax: 10_000, clock: { nowMs: () => nowMs } }
      const [store, other] = [await open(options), await open(options)]
      const written = () => store.usage().writes + other.usage().writes
      await store.put('acct_1', makeChain({ blocks: 4 }))
      expect(written()).toBe(4)
      await other.put('acct_1', makeChain({ blocks: 4 }))
      expect(written()).toBe(6)
      expect(other.usage().refused).toBe(2)
      await store.put('acct_1', makeChain({ blocks: 4 }))
      expect(written()).toBe(6)
      await store.put('acct_2', makeChain({ blocks: 4 }))
      expect(written()).toBe(10)
      nowMs += TTL_MS
      await store.put('acct_1', makeChain({ blocks: 4 }))
      expect(written()).toBe(14)
    })

    test('counts anew when the counter of a tenant is no counter', async () => {
      keyPrefix = newKeyPrefix()
      const store = await open()
      await store.put('acct_1', makeChain({ blocks: 1 }))
      const counter = (await keys()).find((key) => key.includes(':t:')) ?? ''
      for (const foreign of [['SET', counter, 'x'] as const, ['LPUSH', counter, 'x'] as const]) {
        await server.command('DEL', counter)
        await server.command(...foreign)
        await store.put('acct_1', makeChain({ blocks: 1 }))
        const chain = makeChain({ blocks: 1 })
        await store.put('acct_1', chain)
        expect(await store.has(namesOf(chain))).toBe(1)
      }
      expect(store.usage().refused).toBe(2)
    })

    test('names its own blocks only', async () => {
      keyPrefix = newKeyPrefix()
      const store = await open()
      const other = await open({ fingerprint: 'another model' })
      const [own, others] = [makeChain({ blocks: 5 }), makeChain({ blocks: 5 })]
      await store.put('acct_1', own)
      await other.put('acct_1', others)
      await server.command('SET', `${newKeyPrefix()}pc:x:b:y`, 'z')
      expect((await store.sample(100)).toSorted()).toEqual(namesOf(own).toSorted())
    })
  })
})
