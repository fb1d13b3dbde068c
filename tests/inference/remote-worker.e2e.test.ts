/** A worker that runs elsewhere, reached over TCP with a shared secret. */

import { startRunningServer } from '@svc/testing/running-server'
import { startWorkerOnTcp } from '@svc/testing/worker-process'
import { expect, test } from 'vitest'

const SECRET = 'what gateway and worker share'
const question = { messages: [{ role: 'user', content: 'What is the capital of France?' }] }

const settings = (port: number, secret: string) => ({
  SVC_WORKER_URLS: `http://127.0.0.1:${port}`,
  SVC_WORKER_SECRET: secret,
})

test('a worker on TCP serves a server that knows its secret', async () => {
  const port = await startWorkerOnTcp(SECRET)
  const { chat, operations } = await startRunningServer(settings(port, SECRET))
  const answer = await chat(question)
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({
    choices: [{ message: { content: expect.stringContaining('Paris') } }],
  })
  const {
    events: [metered],
  } = await operations.listEvents({ type: 'TokensMetered', limit: 10 })
  expect(metered?.data).toMatchObject({ finishReason: 'stop', rule: 'metered' })
})

test('a worker with another secret is not used: the log says why, callers hear 503', async () => {
  const port = await startWorkerOnTcp(SECRET)
  const server = await startRunningServer(settings(port, 'a secret of another worker'))
  const { ready, operations, chat } = server
  const answer = await chat(question)
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('1')
  const text = await answer.text()
  expect(JSON.parse(text)).toMatchObject({ error: { code: 'server_is_overloaded', param: null } })
  expect(text).not.toMatch(/secret|127\.0\.0\.1/)
  expect((await fetch(`${ready.baseUrl}/readyz`)).status).toBe(503)
  expect((await operations.status()).workers).toMatchObject([{ status: 'unreachable' }])
  expect((await operations.listEvents({ type: 'RequestAccepted', limit: 1 })).events).toEqual([])

  const lines = server.process.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const told = lines.filter(({ msg }) => msg.includes('SVC_WORKER_SECRET'))
  expect(told).toMatchObject([{ level: 50, workerId: 'worker-1' }])
  expect(server.process.stderr).not.toContain('a secret of another worker')
})
