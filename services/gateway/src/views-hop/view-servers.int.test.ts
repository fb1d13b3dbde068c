import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Timer } from '@svc/contracts/ports/time'
import { systemTimer } from '@svc/infra/system/system-timer'
import { expect, onTestFinished, test } from 'vitest'
import { ViewServers } from './view-servers.ts'

/** More than connections hold of what nobody reads. */
const ANSWER_BYTES = 16 * 1_024 * 1_024
const SLOW_READERS = 100

const question = { method: 'GET', path: '/v1/usage', caller: null }

/** Answers with these, one after the other, and with the last one from then on. */
async function serverOf(...statuses: readonly [number, ...number[]]) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    response.statusCode = statuses[Math.min(asked.length, statuses.length - 1)] ?? 0
    asked.push(request.url ?? '')
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

function viewServers(servers: readonly { readonly url: string }[], timer: Timer = systemTimer) {
  const troubles: unknown[] = []
  const views = new ViewServers({
    urls: servers.map(({ url }) => url),
    secret: 'of both',
    timer,
    onTrouble: (cause) => troubles.push(cause),
  })
  onTestFinished(() => views.close())
  return { views, troubles }
}

test('the one that answered last is asked first, and another one while it stops', async () => {
  const servers = [await serverOf(200, 503), await serverOf(200)] as const
  const { views, troubles } = viewServers(servers)
  for (let times = 0; times < 3; times += 1) {
    expect((await views.ask(question)).statusCode).toBe(200)
  }
  expect(servers.map(({ asked }) => asked.length)).toEqual([2, 2])
  expect(troubles).toEqual([])
})

test('one that is back in a moment answers, while the other one is away', async () => {
  const back = await serverOf(503, 200)
  const { views, troubles } = viewServers([{ url: 'http://127.0.0.1:9' }, back])
  expect((await views.ask(question)).statusCode).toBe(200)
  expect(troubles).toEqual([])
})

test('while none answers, each is asked three times and the question is refused', async () => {
  const servers = [await serverOf(503), await serverOf(401)]
  const { views, troubles } = viewServers(servers)
  await expect(views.ask(question)).rejects.toMatchObject({
    code: 'view_behind',
    retryAfterSeconds: 1,
  })
  expect(servers.map(({ asked }) => asked.length)).toEqual([3, 3])
  expect(troubles).toHaveLength(1)
})

test('answers that are read slowly, however many, keep no other question waiting', async () => {
  const sent = Buffer.alloc(ANSWER_BYTES)
  const server = createServer((_, response) => void response.end(sent))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { views } = viewServers([{ url: `http://127.0.0.1:${port}` }])
  for (let times = 0; times < SLOW_READERS; times += 1) {
    const { statusCode, body } = await views.ask(question)
    // When the servers are closed it is cut off.
    body.on('error', () => {})
    expect(statusCode).toBe(200)
  }
})

test('who leaves is waited for no longer', async () => {
  const server = await serverOf(503)
  const { views } = viewServers([server])
  const gone = new AbortController()
  const asking = views.ask({ ...question, signal: gone.signal })
  await expect.poll(() => server.asked.length).toBe(1)
  gone.abort()
  await expect(asking).rejects.toThrow('abort')
  expect(server.asked).toHaveLength(1)
})

/** Time that a test lets pass, beside the real time of the connections. */
class HandTimer implements Timer {
  readonly #waiting = new Set<{ readonly delayMs: number; readonly run: () => void }>()

  after(delayMs: number, run: () => void): () => void {
    const waiting = { delayMs, run }
    this.#waiting.add(waiting)
    return () => void this.#waiting.delete(waiting)
  }

  /** Runs what waits for no longer than this, from its own start. */
  pass(ms: number): void {
    for (const waiting of [...this.#waiting].filter(({ delayMs }) => delayMs <= ms)) {
      this.#waiting.delete(waiting)
      waiting.run()
    }
  }
}

/** Says nothing until it is told to. */
async function silentServer() {
  const silent: ServerResponse[] = []
  const server = createServer((_, response) => void silent.push(response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { silent, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

function refuseAll(silent: readonly ServerResponse[]): void {
  for (const response of silent.filter(({ writableEnded }) => !writableEnded)) {
    response.writeHead(503).end()
  }
}

test('servers that take long to refuse are not asked once more', async () => {
  const servers = [await silentServer(), await silentServer()] as const
  const timer = new HandTimer()
  const { views, troubles } = viewServers(servers, timer)
  const asking = views.ask(question).catch((error: unknown) => error)
  await expect.poll(() => servers[0].silent.length).toBe(1)
  timer.pass(3_000)
  refuseAll(servers[0].silent)
  await expect.poll(() => servers[1].silent.length).toBe(1)
  refuseAll(servers[1].silent)
  expect(await asking).toMatchObject({ code: 'view_behind', retryAfterSeconds: 1 })
  expect(servers.map(({ silent }) => silent.length)).toEqual([1, 1])
  expect(troubles).toHaveLength(1)
})

test('a question is refused when its time is over, whoever is still asked', async () => {
  const servers = [await silentServer(), await silentServer()] as const
  const timer = new HandTimer()
  const { views, troubles } = viewServers(servers, timer)
  const asking = views.ask(question).catch((error: unknown) => error)
  await expect.poll(() => servers[0].silent.length).toBe(1)
  timer.pass(15_000)
  expect(await asking).toMatchObject({ code: 'view_behind', retryAfterSeconds: 1 })
  expect(servers.map(({ silent }) => silent.length)).toEqual([1, 0])
  expect(troubles).toHaveLength(1)
})

test('an answer that has begun has all the time that it needs', async () => {
  const server = await silentServer()
  const timer = new HandTimer()
  const { views } = viewServers([server], timer)
  const asking = views.ask(question)
  await expect.poll(() => server.silent.length).toBe(1)
  const [response] = server.silent
  response?.write('first ')
  const { body } = await asking
  timer.pass(600_000)
  response?.end('last')
  expect(await body.text()).toBe('first last')
})
