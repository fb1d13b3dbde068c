/** Worker processes that join and leave a real server while it serves. */

import { type RunningServer, startRunningServer } from '@svc/testing/running-server'
import { startWorkerOnTcp } from '@svc/testing/worker-process'
import { expect, test } from 'vitest'
import { Audit } from '../torture/audit.ts'

const SECRET = 'what gateway and worker share'
const CLIENTS = 4
const SHOWN_CHARACTERS = 500
/**
 * A stream that lasts longer than a worker is given for its last prompts: a run that breaks after
 * its first token cannot be made again elsewhere unseen.
 */
const question = {
  messages: [{ role: 'user', content: 'Count.' }],
  stream: true,
  max_tokens: 1_000,
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'numbers',
      strict: true,
      schema: { type: 'array', items: { enum: [1234] }, minItems: 25, maxItems: 25 },
    },
  },
}

/** @param name that the worker gives itself; receipts have the one that the server knows it by */
async function startWorker(name: string): Promise<string> {
  return `http://127.0.0.1:${await startWorkerOnTcp(SECRET, ['--worker-id', name])}`
}

/** Waits until something runs there, which then cannot end at once. */
async function untilBusy({ operations }: RunningServer, workerId: string): Promise<void> {
  const running = async () => {
    const workers = await operations.listWorkers()
    return workers.find((worker) => worker.worker_id === workerId)?.load?.running
  }
  await expect.poll(running).toBeGreaterThan(0)
}

async function untilKnown({ operations }: RunningServer, names: string[]): Promise<void> {
  const known = async () =>
    (await operations.listWorkers()).map(({ worker_id: workerId }) => workerId)
  await expect.poll(known).toEqual(names)
}

/** Clients that ask without a pause, until they are told to end. */
class Load {
  /** Which worker answered whole, or what came if none did. */
  readonly places: string[] = []
  readonly #server: RunningServer
  readonly #clients: readonly Promise<void>[]
  #isOver = false

  constructor(server: RunningServer) {
    this.#server = server
    this.#clients = Array.from({ length: CLIENTS }, () => this.#client())
    // The end waits for them. A test that fails before has stopped the server under them.
    for (const client of this.#clients) client.catch(() => {})
  }

  /** Waits until that worker has answered once more. */
  async answeredBy(name: string): Promise<void> {
    const count = () => this.places.filter((place) => place === name).length
    const before = count()
    await expect.poll(count).toBeGreaterThan(before)
  }

  /** Of those that began after this call, who has answered some. */
  async next(): Promise<Set<string>> {
    const begun = this.places.length + CLIENTS
    await expect.poll(() => this.places.length).toBeGreaterThan(begun + CLIENTS)
    return new Set(this.places.slice(begun))
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#clients)
  }

  async #client(): Promise<void> {
    const { chat, operations } = this.#server
    while (!this.#isOver) {
      const answer = await chat(question)
      const text = await answer.text()
      const isWhole = text.includes('"finish_reason":"stop"') && text.endsWith('data: [DONE]\n\n')
      const requestId = answer.headers.get('x-request-id') ?? ''
      const receipt = isWhole ? await operations.explain({ request_id: requestId }) : undefined
      this.places.push(
        receipt?.cache?.worker ?? `${answer.status} ${text.slice(-SHOWN_CHARACTERS)}`,
      )
    }
  }
}

test('a worker joins one that the server started, serves, and leaves: no request fails', async () => {
  const url = await startWorker('elsewhere')
  const server = await startRunningServer({ SVC_WORKER_SECRET: SECRET })
  const { operations } = server
  const load = new Load(server)
  await load.answeredBy('worker-1')

  const added = await operations.addWorker({ worker_id: 'elsewhere', url })
  expect(added).toMatchObject({ status: 'ready', problem: null, ready_workers: 2 })
  await load.answeredBy('elsewhere')
  await untilBusy(server, 'elsewhere')

  const removed = await operations.removeWorker({ worker_id: 'elsewhere' })
  expect(removed.ready_workers).toBe(1)
  await untilKnown(server, ['worker-1'])
  expect(await load.next()).toEqual(new Set(['worker-1']))
  await expect(operations.removeWorker({ worker_id: 'worker-1' })).rejects.toMatchObject({
    code: 'conflict',
  })
  await load.end()

  expect(new Set(load.places)).toEqual(new Set(['worker-1', 'elsewhere']))
  expect(await new Audit().check(operations, [])).toEqual([])
  expect((await fetch(`${url}/health`)).status).toBe(401)
})

test('a worker that a server was started with gives way to another: no request fails', async () => {
  const first = await startWorker('first')
  const server = await startRunningServer({ SVC_WORKER_URLS: first, SVC_WORKER_SECRET: SECRET })
  const { operations } = server
  const load = new Load(server)
  await load.answeredBy('worker-1')

  const added = await operations.addWorker({ worker_id: null, url: await startWorker('second') })
  expect(added).toMatchObject({ worker_id: 'worker-2', status: 'ready' })
  await untilBusy(server, 'worker-1')
  await operations.removeWorker({ worker_id: 'worker-1' })
  await untilKnown(server, ['worker-2'])
  expect(await load.next()).toEqual(new Set(['worker-2']))
  await load.end()

  expect(new Set(load.places)).toEqual(new Set(['worker-1', 'worker-2']))
  expect(await new Audit().check(operations, [])).toEqual([])
})

test('a worker with another secret is watched and not used, and the operator hears why', async () => {
  const port = await startWorkerOnTcp('a secret of another worker')
  const server = await startRunningServer({ SVC_WORKER_SECRET: SECRET })
  const url = `http://127.0.0.1:${port}`
  const added = await server.operations.addWorker({ worker_id: null, url })
  expect(added).toMatchObject({ status: 'unreachable', ready_workers: 1 })
  expect(added.problem).toMatch(/secret/)
  await expect.poll(() => server.process.stderr).toContain('set SVC_WORKER_SECRET')
  expect(server.process.stderr).not.toContain(SECRET)
  await server.operations.removeWorker({ worker_id: added.worker_id })
  expect((await server.operations.status()).workers).toMatchObject([{ worker_id: 'worker-1' }])
})
