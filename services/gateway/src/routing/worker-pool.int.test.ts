/** The pool with scripted workers behind it: who is chosen, who joins and who leaves. */
import type { ServiceError } from '@svc/contracts/errors'
import type { PrefixIndex } from '@svc/contracts/ports/prefix-index'
import type { Timer } from '@svc/contracts/ports/time'
import { WorkerFailure } from '@svc/contracts/worker/failure'
import { MemoryPrefixIndex } from '@svc/infra/prefix-store/memory/memory-prefix-index'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  configurationOf,
  fingerprint,
  nameOf,
  poolOf,
  SOON,
  startWorker,
  tenant,
} from '../../testing/scripted-pool.ts'
import { BALANCE_RUNS } from './choose-worker.ts'
import type { Lease, WorkerPool } from './worker-pool.ts'

const blocks = ['block-1', 'block-2', 'block-3']
const wanted = { tenant, fingerprint, blocks: [] }

describe('the load of workers', () => {
  test('is what they do for other gateways too', async () => {
    const busy = await startWorker('busy')
    busy.othersLoad = { queued: 1, running: 2 }
    const pool = await poolOf([busy, await startWorker('calm')])
    expect(pool.workers.map(({ load }) => load)).toEqual([3, 0])
    const names = [0, 1, 2].map(() => nameOf(pool.lease(wanted)))
    expect(await Promise.all(names)).toEqual(['calm', 'calm', 'calm'])
    expect(pool.pick({ tenant }).worker.workerId).not.toBeUndefined()
  })

  test('falls when runs end, also before they say so', async () => {
    const pool = await poolOf([await startWorker('first'), await startWorker('second')])
    const lease = await pool.lease(wanted)
    expect(await nameOf(pool.lease(wanted))).not.toBe(lease.worker.workerId)
    lease.release(undefined)
    expect(await nameOf(pool.lease(wanted))).toBe(lease.worker.workerId)
  })

  test('does not matter where tokens would differ', async () => {
    const other = await startWorker('other', { fingerprint: 'another model' })
    const pool = await poolOf([await startWorker('this'), other])
    const names = await Promise.all([0, 1, 2].map(() => nameOf(pool.lease(wanted))))
    expect(names).toEqual(['this', 'this', 'this'])
  })
})

test('a worker that sends a byte now and then is late all the same, and gets nothing', async () => {
  const slow = await startWorker('slow')
  const pool = await poolOf([slow, await startWorker('quick')])
  slow.healthByteMs = 100
  await expect.poll(() => pool.workers[0]?.ready, SOON).toBe(false)
  expect(pool.workers[0]?.problem).toMatchObject({ code: 'unreachable' })
  expect(pool.pick({ tenant }).worker.workerId).toBe('quick')
  slow.healthByteMs = 0
  await expect.poll(() => pool.workers[0]?.ready, SOON).toBe(true)
})

describe('workers that compute on the same processors', () => {
  const requests = async (pool: WorkerPool, tenant: string): Promise<Set<string>> => {
    const leases: Lease[] = []
    for (let request = 0; request < 4; request += 1) {
      leases.push(pool.pick({ tenant }), await pool.lease({ tenant, fingerprint, blocks: [] }))
    }
    return new Set(leases.map(({ worker }) => worker.workerId))
  }

  test('are not all taken by one account while others come', async () => {
    const workers = [await startWorker('a'), await startWorker('b')]
    const pool = await poolOf(workers, { shareProcessors: true })
    pool.pick({ tenant: 'small' }).release(undefined)
    const greedy = await requests(pool, 'greedy')
    expect(greedy.size).toBe(1)
    const small = await pool.lease({ tenant: 'small', fingerprint, blocks: [] })
    expect(greedy).not.toContain(small.worker.workerId)
    expect(greedy).not.toContain(pool.pick({ tenant: 'small' }).worker.workerId)
  })

  test('are all taken by an account that is alone, and where each has its own', async () => {
    const workers = [await startWorker('a'), await startWorker('b')]
    expect((await requests(await poolOf(workers, { shareProcessors: true }), 'alone')).size).toBe(2)
    const apart = await poolOf(workers)
    apart.pick({ tenant: 'small' }).release(undefined)
    expect((await requests(apart, 'greedy')).size).toBe(2)
  })
})

describe('a prompt whose beginning was seen', () => {
  async function holderOf(pool: WorkerPool): Promise<string> {
    const lease = await pool.lease({ tenant, fingerprint, blocks })
    lease.release(undefined)
    return lease.worker.workerId
  }

  test('goes to where it was, again and again', async () => {
    const workers = [await startWorker('a'), await startWorker('b'), await startWorker('c')]
    const pool = await poolOf(workers, { index: new MemoryPrefixIndex() })
    const holder = await holderOf(pool)
    for (let turn = 0; turn < 5; turn += 1) expect(await holderOf(pool)).toBe(holder)
  })

  test('goes elsewhere while the holder has too much to do, and from then on to both', async () => {
    const workers = [await startWorker('a'), await startWorker('b')]
    const pool = await poolOf(workers, { index: new MemoryPrefixIndex() })
    const leases: Lease[] = []
    for (let run = 0; run <= BALANCE_RUNS; run += 1) {
      leases.push(await pool.lease({ tenant, fingerprint, blocks }))
    }
    const names = leases.map(({ worker }) => worker.workerId)
    expect(new Set(names).size).toBe(1)
    const second = await pool.lease({ tenant, fingerprint, blocks })
    expect(second.worker.workerId).not.toBe(names[0])
    // Both hold it now: the less loaded one goes on.
    expect(await nameOf(pool.lease({ tenant, fingerprint, blocks }))).toBe(second.worker.workerId)
  })

  test('does not go to a new start of the worker that held it', async () => {
    const workers = [await startWorker('a'), await startWorker('b')]
    const pool = await poolOf(workers, { index: new MemoryPrefixIndex() })
    const holder = await holderOf(pool)
    const restarted = workers.find(({ instanceId }) => instanceId.startsWith(holder))
    const before = restarted?.instanceId
    await restarted?.close()
    await restarted?.listen()
    const known = () => pool.workers.find(({ workerId }) => workerId === holder)?.health?.instanceId
    await expect.poll(known, SOON).toBe(restarted?.instanceId)
    expect(restarted?.instanceId).not.toBe(before)
    expect(await holderOf(pool)).not.toBe(holder)
  })

  test('is not looked for where there is no choice, or nothing to look for', async () => {
    const index = new CountingIndex()
    const alone = await poolOf([await startWorker('a')], { index })
    await alone.lease({ tenant, fingerprint, blocks })
    const both = await poolOf([await startWorker('b'), await startWorker('c')], { index })
    await both.lease({ tenant, fingerprint, blocks: [] })
    expect(index.asked).toBe(0)
    await both.lease({ tenant, fingerprint, blocks })
    expect(index.asked).toBe(1)
  })
})

class CountingIndex implements PrefixIndex {
  readonly failures = 0
  asked = 0
  async note(): Promise<void> {}
  async find() {
    this.asked += 1
    return []
  }
  async close(): Promise<void> {}
}

describe('an index', () => {
  const unwell: readonly (readonly [string, PrefixIndex['find'], PrefixIndex['note']])[] = [
    [
      'that fails',
      () => Promise.reject(new Error('gone')),
      () => Promise.reject(new Error('gone')),
    ],
    ['that never answers', () => new Promise(() => {}), () => new Promise(() => {})],
    [
      'that throws',
      () => {
        throw new Error('broken')
      },
      () => {
        throw new Error('broken')
      },
    ],
    ['that names nobody here', async () => [{ instanceId: 'x/1', blocks: 3 }], async () => {}],
  ]
  test.each(unwell)('%s is no hint and no failure', async (_name, find, note) => {
    const index = { failures: 0, find, note, close: async () => {} }
    const pool = await poolOf([await startWorker('a'), await startWorker('b')], { index })
    const names: string[] = []
    for (let turn = 0; turn < 4; turn += 1) {
      const lease = await pool.lease({ tenant, fingerprint, blocks })
      lease.release(undefined)
      names.push(lease.worker.workerId)
    }
    expect(names.toSorted()).toEqual(['a', 'a', 'b', 'b'])
  })
})

describe('workers that join and leave', () => {
  test('one that joins takes requests as soon as it serves', async () => {
    const pool = await poolOf([])
    await expect(pool.lease(wanted)).rejects.toMatchObject({ code: 'server_is_overloaded' })
    expect(await pool.add(configurationOf(await startWorker('new')))).toMatchObject({ ready: true })
    expect(await nameOf(pool.lease(wanted))).toBe('new')
    const again = pool.add({ workerId: 'new', address: { kind: 'unix', path: '/x' } })
    await expect(again).rejects.toThrow(/new/)
  })

  test('one that does not answer when it joins does so when it can', async () => {
    const late = await startWorker('late')
    await late.close()
    const pool = await poolOf([])
    const joined = await pool.add(configurationOf(late))
    expect(joined).toMatchObject({ ready: false, problem: { code: 'unreachable' } })
    await late.listen()
    expect(await pool.whenReady(5_000)).toBe(true)
  })

  test('one that leaves gets no more requests, and those on it end', async () => {
    const pool = await poolOf([await startWorker('a'), await startWorker('b')])
    const lease = await pool.lease(wanted)
    const leaving = lease.worker.workerId
    await pool.remove(leaving)
    const known = () => pool.workers.map(({ workerId }) => workerId)
    expect(known()).toContain(leaving)
    for (let turn = 0; turn < 3; turn += 1)
      expect(await nameOf(pool.lease(wanted))).not.toBe(leaving)
    expect((await lease.worker.client.health()).workerId).toBe(leaving)
    await pool.remove(leaving)
    lease.release(undefined)
    await expect.poll(known, SOON).not.toContain(leaving)
    await expect(lease.worker.client.health()).rejects.toBeInstanceOf(WorkerFailure)
    await expect(pool.remove(leaving)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('one that leaves runs first what it alone has prepared', async () => {
    const next = await startWorker('next', { fingerprint: 'another model' })
    const old = await startWorker('old')
    const pool = await poolOf([old, next])
    const removed = pool.remove('old')
    expect(pool.pick({ tenant }).worker.workerId).toBe('next')
    const lease = await pool.lease(wanted)
    expect(lease.worker.workerId).toBe('old')
    await removed
    await expect(pool.lease(wanted)).rejects.toMatchObject({ code: 'server_is_overloaded' })
    lease.release(undefined)
    await expect.poll(() => pool.workers.length, SOON).toBe(1)
    expect(old.drainOrders).toEqual([])
  })

  test('one that left can join again, and one that is away leaves at once', async () => {
    const worker = await startWorker('a')
    const pool = await poolOf([worker])
    await pool.remove('a')
    expect(pool.workers).toEqual([])
    expect(await pool.add(configurationOf(worker))).toMatchObject({ ready: true, leaving: false })
    await worker.close()
    await expect.poll(() => pool.workers[0]?.ready, SOON).toBe(false)
    await pool.remove('a')
    expect(pool.workers).toEqual([])
  })
})

/** Waits for nobody: what is due is run by hand. */
class ManualTimer implements Timer {
  readonly #due = new Set<() => void>()

  get count(): number {
    return this.#due.size
  }

  after(_delayMs: number, run: () => void): () => void {
    this.#due.add(run)
    return () => void this.#due.delete(run)
  }

  runAll(): void {
    for (const run of [...this.#due]) {
      this.#due.delete(run)
      run()
    }
  }
}

test('what a worker was asked before it was lost counts no more', async () => {
  const worker = await startWorker('lost')
  const timer = new ManualTimer()
  const pool = await poolOf([worker], { timer })
  const lease = await pool.lease(wanted)
  timer.runAll()
  lease.release(new WorkerFailure('unreachable', 'gone'))
  await expect.poll(() => worker.healthCalls, SOON).toBe(2)
  // Whatever was on its way before this answer has come.
  await lease.worker.client.health()
  expect(pool.workers[0]?.ready).toBe(false)
  expect(timer.count).toBe(1)
  timer.runAll()
  await expect.poll(() => pool.workers[0]?.ready, SOON).toBe(true)
  expect(timer.count).toBe(1)
})

test('the longer no worker is ready, the later whoever asks is told to come again', async () => {
  const pool = await poolOf([])
  const clock = vi.spyOn(performance, 'now')
  onTestFinished(() => clock.mockRestore())
  const refusedAt = (nowMs: number) => {
    clock.mockReturnValue(nowMs)
    try {
      return pool.pick({ tenant }).worker.workerId
    } catch (error) {
      return (error as ServiceError).retryAfterSeconds
    }
  }
  expect([1_000, 1_900, 4_500, 60_000].map(refusedAt)).toEqual([1, 1, 4, 10])
})
