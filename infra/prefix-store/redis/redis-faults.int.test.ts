/**
 * Whatever becomes of the server, a prefix store on it only ever has fewer blocks: no call rejects,
 * none takes long, and when the server is well again the store is too.
 */

import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { PrefixBlock, PrefixStore } from '@svc/contracts/ports/prefix-store'
import { freePort } from '@svc/testing/free-port'
import { FaultProxy } from '@svc/testing/network/fault-proxy'
import { describeOnOwnRedis } from '@svc/testing/redis/describe-on-redis'
import {
  type RedisServer,
  type RedisServerOptions,
  startRedisServer,
} from '@svc/testing/redis/redis-server'
import { until } from '@svc/testing/until'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeChain, namesOf, newName, plain } from '../testing/chains.ts'
import { connectedStore, redisStore, storeAnswers, UNHURRIED } from '../testing/redis-under-test.ts'
import { OPEN_MS } from './circuit-breaker.ts'
import { openRedisClient } from './redis-connection.ts'

/** Calls that at 250 ms each would not end within the time of a test. */
const MANY_CALLS = 2_000

describeOnOwnRedis('with a Redis that', () => {
  let server: RedisServer
  const problems: (string | null)[] = []
  const stores: PrefixStore[] = []
  let passedMs = 0
  const options = {
    onProblem: (problem: string | null) => void problems.push(problem),
    clock: { nowMs: () => Date.now() + passedMs },
  }

  beforeEach(() => {
    problems.length = 0
    passedMs = 0
  })
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()))
    await server.close()
  })

  async function start(serverOptions: RedisServerOptions = {}, more = {}): Promise<PrefixStore> {
    server = await startRedisServer(serverOptions)
    const store = await connectedStore(server.url, { ...options, ...more })
    stores.push(store)
    return store
  }

  /** Each kind of call, once. */
  async function callAll(store: PrefixStore, chain: readonly PrefixBlock[]): Promise<void> {
    expect(await store.get(namesOf(chain))).toEqual([])
    expect(await store.has(namesOf(chain))).toBe(0)
    expect(await store.sample(10)).toEqual([])
    await store.put('acct_1', chain)
    await store.remove(newName())
    const claim = await store.claim(newName(), 1_000)
    expect(claim).not.toBeNull()
    await claim?.release()
  }

  async function expectWell(store: PrefixStore): Promise<void> {
    passedMs += OPEN_MS
    await storeAnswers(store)
    const chain = makeChain({ blocks: 3 })
    await store.put('acct_1', chain)
    expect(plain(await store.get(namesOf(chain)))).toEqual(plain(chain))
    expect(problems.at(-1) ?? null).toBeNull()
  }

  test('is there while the process is busy with its start: nothing is told', async () => {
    server = await startRedisServer()
    const store = redisStore(server.url, options)
    stores.push(store)
    // The client begins to connect, and hears nothing of it before the process is busy.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((next) => process.nextTick(next))
    const busyUntil = performance.now() + 600
    while (performance.now() < busyUntil);
    await expectWell(store)
    expect(problems).toEqual([])
  })

  test('is not there at the start, and comes later', async () => {
    const port = await freePort()
    const store = redisStore(`redis://127.0.0.1:${port}`, options)
    stores.push(store)
    const chain = makeChain({ blocks: 2 })
    for (let call = 0; call < 20; call += 1) await callAll(store, chain)
    await until(() => problems.length > 0)
    expect(problems).toEqual([`Redis at 127.0.0.1:${port} cannot be used: ECONNREFUSED`])
    expect(store.usage().failures).toBe(120)
    server = await startRedisServer({ port })
    await expectWell(store)
  })

  test('is killed while it is used, and comes back empty', async () => {
    const store = await start()
    const before = makeChain({ blocks: 2 })
    await store.put('acct_1', before)
    let isOver = false
    let calls = 0
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const chain = makeChain({ blocks: 3, blockBytes: 100_000 })
        await store.put('acct_1', chain)
        const read = await store.get(namesOf(chain))
        expect(plain(read)).toEqual(plain(chain.slice(0, read.length)))
        calls += 1
        // A call that fails at once gives no turn to anybody else.
        await new Promise(setImmediate)
      }
    })
    for (let round = 0; round < 3; round += 1) {
      const from = calls
      await until(() => calls > from + 20)
      await server.kill()
      await until(() => typeof problems.at(-1) === 'string')
      await server.restart()
      await until(() => problems.at(-1) === null)
    }
    isOver = true
    await Promise.all(load)
    expect(store.usage().failures).toBeGreaterThan(0)
    expect(await store.get(namesOf(before))).toEqual([])
    await expectWell(store)
  })

  test('is flushed in between', async () => {
    const store = await start({}, UNHURRIED)
    const chain = makeChain({ blocks: 3 })
    const { failures } = store.usage()
    for (let round = 0; round < 3; round += 1) {
      await store.put('acct_1', chain)
      expect(await store.has(namesOf(chain))).toBe(3)
      await server.flush()
      expect(await store.get(namesOf(chain))).toEqual([])
    }
    expect(store.usage().failures).toBe(failures)
    await expectWell(store)
  })

  test('is frozen: one call waits, no other does, and it is found when it is back', async () => {
    const store = await start()
    const chain = makeChain({ blocks: 3 })
    await store.put('acct_1', chain)
    await server.freeze()
    for (let call = 0; call < MANY_CALLS; call += 1) await callAll(store, chain)
    expect(problems.at(-1)).toMatch(/does not answer within 250 ms$/)
    const told = problems.length
    // The probe finds it frozen still.
    passedMs += OPEN_MS
    for (let call = 0; call < MANY_CALLS; call += 1) await callAll(store, chain)
    expect(problems.slice(told)).toEqual([])
    await server.thaw()
    await expectWell(store)
    expect(await store.has(namesOf(chain))).toBe(3)
  })

  test('is frozen and thaws while nobody asks for anything: the problem is taken back', async () => {
    const store = await start({}, { clock: { nowMs: () => performance.now() } })
    await server.freeze()
    await callAll(store, makeChain({ blocks: 1 }))
    expect(problems.at(-1)).toMatch(/does not answer within 250 ms$/)
    await server.thaw()
    await expect.poll(() => problems.at(-1), { timeout: 2 * OPEN_MS }).toBeNull()
  })

  test('takes no password and is given one up, while nobody asks for anything', async () => {
    server = await startRedisServer({ settings: ['--requirepass', 'hunter2'] })
    stores.push(redisStore(server.url, options))
    await expect.poll(() => problems.at(-1)).toMatch(/refuses: NOAUTH$/)
    const owner = openRedisClient(server.url.replace('//', '//:hunter2@'))
    await once(owner, 'ready')
    await owner.config('SET', 'requirepass', '')
    owner.disconnect()
    await expect.poll(() => problems.at(-1), { timeout: 2 * OPEN_MS }).toBeNull()
  })

  test('is frozen while calls are under way: all of them come back', async () => {
    const store = await start()
    const chains = Array.from({ length: 30 }, () => makeChain({ blocks: 3, blockBytes: 50_000 }))
    const writing = chains.map((chain) => store.put('acct_1', chain))
    await server.freeze()
    await Promise.all(writing)
    await Promise.all(chains.map((chain) => store.get(namesOf(chain))))
    await server.thaw()
    await expectWell(store)
  })

  test('is frozen when the store is opened, with a password to be told', async () => {
    server = await startRedisServer({ settings: ['--requirepass', 'hunter2'] })
    const url = server.url.replace('//', '//:hunter2@')
    await server.freeze()
    const store = redisStore(url, options)
    stores.push(store)
    await until(() => problems.length > 0)
    await callAll(store, makeChain({ blocks: 1 }))
    await server.thaw()
    await expectWell(store)
    expect(problems.join()).not.toContain('hunter2')
  })

  test('is frozen when the store is closed', async () => {
    const store = await start()
    await server.freeze()
    const reading = store.get([newName()])
    await store.close()
    expect(await reading).toEqual([])
  })

  test('is slow: nobody waits for what it will say', async () => {
    const store = await start()
    const chain = makeChain({ blocks: 3 })
    await store.put('acct_1', chain)
    await server.command('CLIENT', 'PAUSE', 1_500, 'ALL')
    for (let call = 0; call < MANY_CALLS; call += 1) await callAll(store, chain)
    expect(problems.at(-1)).toMatch(/does not answer/)
    await until(async () => {
      passedMs += OPEN_MS
      return (await store.has(namesOf(chain))) === 3
    })
    await expectWell(store)
  })

  test('is gone without a word: the connection is given up, and another made', async () => {
    server = await startRedisServer()
    const proxy = await FaultProxy.listen(Number(new URL(server.url).port))
    const store = await connectedStore(`redis://127.0.0.1:${proxy.port}`, options)
    stores.push(store)
    proxy.fallSilent()
    const chain = makeChain({ blocks: 3 })
    for (let call = 0; call < MANY_CALLS; call += 1) await callAll(store, chain)
    await expectWell(store)
    await store.close()
    await proxy.close()
  })

  test('takes a connection only to end it: it is tried less and less, and told once', async () => {
    server = await startRedisServer({ settings: ['--maxclients', '1'] })
    const held = connect(Number(new URL(server.url).port), '127.0.0.1')
    held.write('PING\r\n')
    await once(held, 'data')
    const store = redisStore(server.url, options)
    stores.push(store)
    await until(() => problems.length > 0)
    await delay(3_000)
    expect(problems).not.toContain(null)
    expect(problems.length).toBeLessThanOrEqual(2)
    held.destroy()
    const refused = /rejected_connections:(\d+)/
    await until(async () => (await server.command('PING').catch(() => null)) !== null)
    const stats = String(await server.command('INFO', 'stats'))
    expect(Number(refused.exec(stats)?.[1])).toBeLessThan(30)
    await server.command('CONFIG', 'SET', 'maxclients', 100)
    await expectWell(store)
  })

  test('is full and evicts nothing: what is there can be read, and no more is written', async () => {
    const store = await start({ maxmemory: '2mb', maxmemoryPolicy: 'noeviction' }, UNHURRIED)
    const { failures } = store.usage()
    const chains = Array.from({ length: 20 }, () => makeChain({ blocks: 4, blockBytes: 50_000 }))
    for (const chain of chains) await store.put('acct_1', chain)
    const { writes, refused } = store.usage()
    expect(writes).toBeGreaterThan(0)
    expect(refused).toBeGreaterThan(0)
    expect(writes + refused).toBe(80)
    let read = 0
    for (const chain of chains) {
      const found = await store.get(namesOf(chain))
      expect(plain(found)).toEqual(plain(chain.slice(0, found.length)))
      read += found.length
    }
    expect(read).toBeGreaterThan(0)
    // A block that there was room for behind one that was refused is out of reach.
    expect(read).toBeLessThanOrEqual(writes)
    expect(store.usage().failures).toBe(failures)
    // Nothing else can be written either: a claim is granted, because it cannot be told.
    expect(await store.claim(newName(), 1_000)).not.toBeNull()
    expect(problems.filter((problem) => problem !== null)).toEqual([])
    await server.flush()
    await expectWell(store)
  })

  test('evicts at random, all the time: what is read is whole and in order', async () => {
    const store = await start({ maxmemory: '2mb', maxmemoryPolicy: 'allkeys-random' }, UNHURRIED)
    const chains = Array.from({ length: 40 }, () => makeChain({ blocks: 4, blockBytes: 20_000 }))
    let read = 0
    for (let round = 0; round < 3; round += 1) {
      for (const chain of chains) {
        await store.put('acct_1', chain)
        const other = chains[(round * 7 + read) % chains.length] ?? chain
        const found = await store.get(namesOf(other))
        expect(plain(found)).toEqual(plain(other.slice(0, found.length)))
        read += found.length
      }
    }
    expect(read).toBeGreaterThan(0)
    expect(await server.command('DBSIZE')).toBeLessThan(160)
    expect(store.usage().corrupt).toBe(0)
  })
})
