/** `svc worker …` and `svc audit cache`, against the admin routes of a server with two workers. */

import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { emptyTier, freshState } from '@svc/testing/scripted-worker'
import { describe, expect, test } from 'vitest'
import { workerServer } from '../testing/worker-server.ts'

const cacheOn = { mode: 'on', schedule: 'any-token', reason: null, tiers: ['l1', 'l2'] } as const
const clean = { checked: { l1: 0, l2: 0 }, gone: 0, differing: [] }

/** Both workers have a cache, one a GPU, and the health that says so has reached the server. */
async function withCaches() {
  const server = await workerServer()
  server.workers[1].gpu = 'NVIDIA H200'
  for (const worker of server.workers) {
    worker.cache = { ...cacheOn, tiers: [...cacheOn.tiers] }
    worker.found = clean
  }
  await expect
    .poll(() => server.pool.workers.every(({ health }) => health?.cache.mode === 'on'))
    .toBe(true)
  return server
}

describe('svc worker list', () => {
  test('shows each worker, its load and its cache', async () => {
    const server = await withCaches()
    const [first] = server.workers
    first.state = {
      ...freshState,
      running: 3,
      totals: { inputTokens: 1_000, cachedInputTokens: 3_000, outputTokens: 5 },
      cache: {
        ...freshState.cache,
        lookups: 3,
        hits: 2,
        l1: { ...emptyTier, blocks: 12, bytes: 1_572_864, bytesMax: 536_870_912 },
        l2: { ...emptyTier, hits: 4, writes: 9, failures: 2 },
      },
    }
    const { code, out } = await server.svc(['worker', 'list'])
    expect(code).toBe(0)
    const shown = out.replaceAll(/unix:\S+/g, 'unix:/run/worker.sock')
    await expect(shown).toMatchFileSnapshot('../golden/worker-list.txt')
    const json = JSON.parse((await server.svc(['--json', 'worker', 'list'])).out)
    expect(json).toMatchObject({
      schema: 'svc.workers/2',
      workers: [
        {
          worker_id: 'worker-1',
          cache: { use: { prompts: 3, token_hit_rate: 0.75 } },
          restarts: 1,
        },
        { worker_id: 'worker-2', load: { running: 0 }, problem: null },
      ],
    })
  })

  test('names what is wrong with one, and shows the others', async () => {
    const server = await workerServer()
    server.workers[1].state = { ...freshState, meterMismatches: 2 }
    const { code, out } = await server.svc(['worker', 'list'])
    expect(code).toBe(0)
    expect(out).toContain('worker-2: the runtime counted 2 prompts otherwise')
    expect(out).toContain('worker-1')
  })

  test('says while Redis is away that prompts are cached by one alone, as the status does', async () => {
    const { workers, svc: run } = await workerServer()
    const said = 'worker-2: prompts are cached by this worker alone: Redis is not connected\n'
    const shown = async () => {
      const lists = [await run(['worker', 'list']), await run(['status'])]
      return lists.map(({ out }) => out.includes(said))
    }
    workers[1].cacheProblem = 'Redis is not connected'
    await expect.poll(shown).toEqual([true, true])
    workers[1].cacheProblem = null
    await expect.poll(shown).toEqual([false, false])
  })

  test('shows nothing of a worker that would steer the terminal', async () => {
    const { workers, pool, svc: run } = await workerServer()
    workers[1].gpuProblem = 'a GPU \u001b[2Jfailed\nworker-1: all is well'
    const told = () => pool.workers.some(({ health }) => health?.gpuProblem)
    await expect.poll(told).toBe(true)
    const { out } = await run(['worker', 'list'])
    expect(out).toMatch(/^worker-2: a GPU .*failed.*worker-1: all is well$/m)
    expect(out).not.toContain('\u001b')
  })
})

describe('svc worker drain', () => {
  test('ends the work of one, and gives it back', async () => {
    const server = await workerServer()
    const drained = await server.svc(['worker', 'drain', 'worker-1'])
    expect([drained.code, drained.out]).toEqual([0, 'worker-1\n'])
    expect(drained.err).toContain('worker-1 is draining; workers that take requests now: 1')
    expect(server.workers[0].drainOrders).toEqual([true])
    const last = await server.svc(['--json', 'worker', 'drain', 'worker-2', '--yes'])
    expect(JSON.parse(last.out)).toEqual({
      schema: 'svc.worker-drained/2',
      worker_id: 'worker-2',
      status: 'draining',
      ready_workers: 0,
    })
    const undone = await server.svc(['--json', 'worker', 'drain', 'worker-1', '--undo'])
    expect(JSON.parse(undone.out)).toMatchObject({ status: 'ready', ready_workers: 1 })
    expect(server.workers[0].drainOrders).toEqual([true, false])
  })

  test('asks before the last worker that is ready takes nothing new', async () => {
    const server = await workerServer()
    await server.svc(['worker', 'drain', 'worker-2'])
    const drain = ['worker', 'drain', 'worker-1']
    const nobody = await server.svc(drain)
    expect(nobody.code).toBe(2)
    expect(nobody.err).toContain(
      'Drain worker-1? No other worker is ready: every request is refused until one is.',
    )
    expect((await server.svc(drain, { answer: false })).code).toBe(2)
    expect(server.workers[0].drainOrders).toEqual([])
    expect((await server.svc(drain, { answer: true })).code).toBe(0)
    // It takes nothing already: there is nothing to ask.
    expect((await server.svc(drain)).code).toBe(0)
    expect(server.workers[0].drainOrders).toEqual([true, true])
  })

  test('refuses a worker that there is not, and names those that there are', async () => {
    const { code, err } = await (await workerServer()).svc(['worker', 'drain', 'worker-9'])
    expect(code).toBe(3)
    expect(err).toContain('There is no worker worker-9; there are: worker-1, worker-2.')
  })

  test('says so when the worker does not answer', async () => {
    const server = await workerServer()
    await server.workers[0].close()
    const { code, err } = await server.svc(['worker', 'drain', 'worker-1'])
    expect(code).toBe(6)
    expect(err).toContain('worker-1: the worker did not answer')
  })
})

describe('svc audit cache', () => {
  test('has every worker compare a sample of blocks, and adds up', async () => {
    const server = await withCaches()
    server.workers[0].found = { checked: { l1: 7, l2: 2 }, gone: 1, differing: [] }
    server.workers[1].found = { checked: { l1: 3, l2: 0 }, gone: 0, differing: [] }
    const { code, out } = await server.svc(['audit', 'cache', '--sample', '9'])
    expect(code).toBe(0)
    expect(out).toBe(
      'compared: 12 blocks, 10 from memory (l1), 2 from Redis (l2); ' +
        'differing: 0; gone before they could be read: 1\n',
    )
    expect(server.workers.map(({ audits }) => audits)).toEqual([[9], [9]])
  })

  test('reads 100 blocks of each unless it is told otherwise', async () => {
    const server = await withCaches()
    await server.svc(['audit', 'cache'])
    expect(server.workers.map(({ audits }) => audits)).toEqual([[100], [100]])
  })

  test('names every block that differs, and ends with 1', async () => {
    const server = await withCaches()
    const differing = [{ name: 'b'.repeat(32), tier: 'l2' as const }]
    server.workers[1].found = { checked: { l1: 0, l2: 4 }, gone: 0, differing }
    const { code, out, err } = await server.svc(['audit', 'cache'])
    expect(code).toBe(1)
    expect(out).toContain(`differs  worker-2  l2  block ${'b'.repeat(32)}\n`)
    expect(err).toContain('cached blocks that are not what the model computes: 1')
    const json = await server.svc(['--json', 'audit', 'cache'])
    expect(json.code).toBe(1)
    expect(JSON.parse(json.out)).toMatchObject({
      schema: 'svc.cache-audit/2',
      compared: 2,
      unanswered: 0,
      checked: { l1: 0, l2: 4 },
      differing: 1,
      workers: [
        { worker_id: 'worker-1', outcome: 'compared', differing: [] },
        { worker_id: 'worker-2', outcome: 'compared', differing },
      ],
    })
  })

  test('does not call well what it has not seen', async () => {
    const server = await withCaches()
    server.workers[0].found = 'broken'
    const { code, out, err } = await server.svc(['audit', 'cache'])
    expect(code).toBe(6)
    expect(out).toContain('unanswered  worker-1  it broke')
    expect(out).toContain('nothing was compared: no worker that answered has a cached block')
    expect(err).toContain('workers that gave no answer: 1')
  })

  test('asks no worker whose cache is off, nor one that is not ready', async () => {
    const server = await withCaches()
    server.workers[0].cache = {
      mode: 'off',
      schedule: 'canonical-128',
      reason: 'a recurrent model',
      tiers: [],
    }
    await expect.poll(() => server.pool.workers[0]?.health?.cache.mode).toBe('off')
    const { code, err } = await server.svc(['audit', 'cache'])
    expect([code, server.workers[0].audits]).toEqual([0, []])
    expect(err).toContain('worker-1: its cache is off')
    await server.svc(['worker', 'drain', 'worker-1'])
    await server.svc(['worker', 'drain', 'worker-2', '--yes'])
    const none = await server.svc(['audit', 'cache'])
    expect(none.code).toBe(6)
    expect(none.err).toContain('No inference worker is ready.')
    expect(server.workers[1].audits).toHaveLength(1)
  })

  test.each(['0', '10001', 'all'])('refuses a sample of %s', async (sample) => {
    const { code, err } = await svc(['audit', 'cache', '--sample', sample])
    expect(code).toBe(2)
    expect(err).toContain('--sample')
  })
})

test.each([
  [['worker', 'list']],
  [['worker', 'drain', 'worker-1']],
  [['worker', 'add', 'unix:/run/worker.sock']],
  [['worker', 'remove', 'worker-1']],
  [['audit', 'cache']],
])('svc %j needs a running server, and says so', async (args) => {
  const { path } = await folderWithHistory()
  const { code, out, err } = await svc(['--data-dir', path, '--quiet', ...args])
  expect([code, out]).toEqual([6, ''])
  expect(err).toContain('This needs a running server')
})
