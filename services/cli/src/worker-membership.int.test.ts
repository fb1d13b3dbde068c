/**
 * `svc worker add` and `svc worker remove`, against the admin routes of a server that has started
 * worker-1 itself, and knows worker-2.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ScriptedWorker } from '@svc/testing/scripted-worker'
import { describe, expect, onTestFinished, test } from 'vitest'
import { workerServer } from '../testing/worker-server.ts'

/** Starts a worker that listens, and that no server knows. */
async function thirdWorker(drained = false): Promise<{ worker: ScriptedWorker; url: string }> {
  const socketPath = join(tmpdir(), `svc-cli-${randomUUID()}.sock`)
  const worker = new ScriptedWorker({ socketPath, workerId: 'its own name', drained })
  await worker.listen()
  onTestFinished(() => worker.close())
  return { worker, url: `unix:${socketPath}` }
}

async function namesOf({ svc }: Awaited<ReturnType<typeof workerServer>>): Promise<string[]> {
  const { workers } = JSON.parse((await svc(['--json', 'worker', 'list'])).out)
  return workers.map(
    ({ worker_id: workerId, status }: Record<string, string>) => `${workerId} ${status}`,
  )
}

describe('svc worker add', () => {
  test('has a server use a worker, and says that it is for now', async () => {
    const server = await workerServer()
    const { url } = await thirdWorker()
    const { code, out, err } = await server.svc(['worker', 'add', url])
    expect([code, out]).toEqual([0, 'worker-3\n'])
    expect(err).toContain('worker-3 is ready; workers that take requests now: 3')
    expect(err).toContain('It is forgotten when the server ends')
    expect(await namesOf(server)).toEqual(['worker-1 ready', 'worker-2 ready', 'worker-3 ready'])
  })

  test('answers a program with one object', async () => {
    const server = await workerServer()
    const { url } = await thirdWorker(true)
    const { out, err } = await server.svc(['--json', 'worker', 'add', url, '--id', 'gpu-1'])
    expect(JSON.parse(out)).toEqual({
      schema: 'svc.worker-added/2',
      worker_id: 'gpu-1',
      address: url,
      status: 'draining',
      problem: null,
      created: true,
      ready_workers: 2,
    })
    expect(err).toBe('')
  })

  test('takes one that does not answer yet, which serves when it does', async () => {
    const server = await workerServer()
    const { worker, url } = await thirdWorker()
    await worker.close()
    const { code, err } = await server.svc(['worker', 'add', url])
    expect(code).toBe(0)
    expect(err).toContain('worker-3: the worker did not answer')
    expect(err).toContain('worker-3 is unreachable; workers that take requests now: 2')
    await worker.listen()
    await expect.poll(() => server.pool.workers[2]?.ready).toBe(true)
  })

  test('shows what a worker says of itself without what a terminal obeys', async () => {
    const server = await workerServer()
    const socketPath = join(tmpdir(), `svc-cli-${randomUUID()}.sock`)
    const message = 'no model \u001b[2Jfailed\nworker-3 is ready'
    const worker = createServer((_request, response) => {
      response.writeHead(500, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { code: 'failed', message } }))
    }).listen(socketPath)
    onTestFinished(() => void worker.close())
    await once(worker, 'listening')
    const { err } = await server.svc(['worker', 'add', `unix:${socketPath}`])
    expect(err).toContain('worker-3: no model ?[2Jfailed?worker-3 is ready')
    expect(err).not.toContain('\u001b')
  })

  test('gives a worker on TCP the secret of the server, and shows it nowhere', async () => {
    const server = await workerServer()
    const url = 'http://127.0.0.1:1'
    const { code, out } = await server.svc(['--json', 'worker', 'add', url])
    expect([code, JSON.parse(out)]).toMatchObject([0, { address: url, status: 'unreachable' }])
    const secret = 'what gateway and worker share'
    expect(out + JSON.stringify(await server.operations.listWorkers())).not.toContain(secret)
  })

  test.each([
    ['10.0.0.7:9090', /URL: must be http:\/\/host:port or unix:\/path\/to\/socket/],
    ['http://user:changeit@h:1', /URL: must be/],
    ['unix:worker.sock', /URL: must be/],
  ])('refuses the address %s', async (url, message) => {
    const server = await workerServer()
    const { code, err } = await server.svc(['worker', 'add', url])
    expect(code).toBe(2)
    expect(err).toMatch(message)
    expect(server.pool.workers).toHaveLength(2)
  })

  test('refuses a worker on TCP when the server has no secret', async () => {
    const server = await workerServer({ workerSecret: undefined })
    const { code, err } = await server.svc(['worker', 'add', 'http://127.0.0.1:1'])
    expect(code).toBe(2)
    expect(err).toContain('the server has no SVC_WORKER_SECRET')
  })

  test.each(['..', 'a/b', '', 'a b', 'x'.repeat(65)])('refuses the name "%s"', async (name) => {
    const server = await workerServer()
    const { code, err } = await server.svc(['worker', 'add', 'unix:/x', '--id', name])
    expect(code).toBe(2)
    expect(err).toContain('--id: must be at most 64 letters')
  })

  test('refuses a name, or a place, that is taken', async () => {
    const server = await workerServer()
    const named = await server.svc(['worker', 'add', 'unix:/x', '--id', 'worker-2'])
    expect([named.code, named.err]).toEqual([
      5,
      expect.stringContaining('a worker worker-2 already'),
    ])
    const place = `unix:${server.workers[1].socketPath}`
    const placed = await server.svc(['worker', 'add', place, '--id', 'another'])
    expect([placed.code, placed.err]).toEqual([5, expect.stringContaining('worker-2 is at unix:')])
    expect(server.pool.workers).toHaveLength(2)
  })

  test('asked for again shows the worker that is there', async () => {
    const server = await workerServer()
    const place = `unix:${server.workers[1].socketPath}`
    for (const named of [[], ['--id', 'worker-2']]) {
      const again = await server.svc(['worker', 'add', place, ...named, '--json'])
      expect(again.code).toBe(0)
      expect(JSON.parse(again.out)).toMatchObject({ worker_id: 'worker-2', created: false })
    }
    expect(server.pool.workers).toHaveLength(2)
  })

  test('is bounded: a server watches no more workers than its maximum', async () => {
    const server = await workerServer()
    const add = (index: number) =>
      server.operations.addWorker({ worker_id: null, url: `unix:/nowhere/${index}.sock` })
    const added = await Promise.all(Array.from({ length: 254 }, (_, index) => add(index)))
    expect(new Set(added.map(({ worker_id: workerId }) => workerId)).size).toBe(254)
    await expect(add(254)).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('svc worker remove', () => {
  test('has a server forget a worker, which is not told', async () => {
    const server = await workerServer()
    const { code, out, err } = await server.svc(['worker', 'remove', 'worker-2'])
    expect([code, out]).toEqual([0, 'worker-2\n'])
    expect(err).toContain('worker-2 is removed; workers that take requests now: 1')
    expect(await namesOf(server)).toEqual(['worker-1 ready'])
    expect(server.workers[1].drainOrders).toEqual([])
    const { out: next } = await server.svc([
      'worker',
      'add',
      `unix:${server.workers[1].socketPath}`,
    ])
    expect(next).toBe('worker-2\n')
  })

  test('waits for what runs there, and shows that meanwhile', async () => {
    const server = await workerServer()
    const avoid = server.pool.workers[0]
    const wanted = { tenant: 'acct', fingerprint: 'scripted-fingerprint', blocks: [], avoid }
    const leases = [await server.pool.lease(wanted), await server.pool.lease(wanted)]
    const { code, err } = await server.svc(['worker', 'remove', 'worker-2'])
    expect(code).toBe(0)
    expect(err).toContain('worker-2 is leaving: it still runs 2, and is forgotten when they have')
    expect(await namesOf(server)).toEqual(['worker-1 ready', 'worker-2 leaving'])
    const again = await server.svc(['--json', 'worker', 'remove', 'worker-2'])
    expect(JSON.parse(again.out)).toEqual({
      schema: 'svc.worker-removed/2',
      worker_id: 'worker-2',
      status: 'leaving',
      running: 2,
      ready_workers: 1,
    })
    for (const lease of leases) lease.release(undefined)
    await expect.poll(() => namesOf(server)).toEqual(['worker-1 ready'])
  })

  test('asks before the last worker that is ready takes nothing new', async () => {
    const server = await workerServer()
    await server.svc(['worker', 'drain', 'worker-1'])
    const nobody = await server.svc(['worker', 'remove', 'worker-2'])
    expect(nobody.code).toBe(2)
    expect(nobody.err).toContain('Remove worker-2? No other worker is ready: every request is')
    expect(await namesOf(server)).toEqual(['worker-1 draining', 'worker-2 ready'])
    expect((await server.svc(['worker', 'remove', 'worker-2', '--yes'])).code).toBe(0)
    expect(await namesOf(server)).toEqual(['worker-1 draining'])
  })

  test('refuses a worker that the server has started, and says what to do', async () => {
    const server = await workerServer()
    const { code, err } = await server.svc(['worker', 'remove', 'worker-1'])
    expect(code).toBe(5)
    expect(err).toContain('drain it instead: svc worker drain worker-1')
    expect(server.pool.workers.every(({ ready, leaving }) => ready && !leaving)).toBe(true)
  })

  test('asks nobody about one that the server would keep', async () => {
    const server = await workerServer()
    await server.svc(['worker', 'drain', 'worker-2'])
    const { code, err } = await server.svc(['worker', 'remove', 'worker-1'])
    expect([code, err]).toEqual([5, expect.stringContaining('drain it instead')])
    expect(err).not.toContain('every request is refused')
    expect(await namesOf(server)).toEqual(['worker-1 ready', 'worker-2 draining'])
  })

  test('refuses a worker that there is not, and names those that there are', async () => {
    const { code, err } = await (await workerServer()).svc(['worker', 'remove', 'worker-9'])
    expect(code).toBe(3)
    expect(err).toContain('There is no worker worker-9; there are: worker-1, worker-2.')
  })
})
