/** What an operator changes about the workers of the real server while it serves. */

import { type RunningServer, startRunningServer } from '@svc/testing/running-server'
import { expect, test } from 'vitest'
import { Audit } from '../torture/audit.ts'

const question = {
  messages: [{ role: 'user', content: 'What is the capital of France?' }],
  max_tokens: 8,
}

/** Which worker answered, or the status if none did. */
async function answeredBy({ chat, operations }: RunningServer): Promise<string | number> {
  const answer = await chat(question)
  await answer.text()
  if (answer.status !== 200) return answer.status
  const receipt = await operations.explain({ request_id: answer.headers.get('x-request-id') ?? '' })
  return receipt.cache?.worker ?? 'nobody'
}

test('a model that stands by takes over from another, and no request fails', async () => {
  const server = await startRunningServer({ SVC_STANDBY_MODELS: 'demo' })
  const { operations } = server
  const statuses = async () => (await operations.status()).workers.map(({ status }) => status)
  await expect.poll(statuses).toEqual(['ready', 'draining'])
  expect(await answeredBy(server)).toBe('worker-1')

  let isOver = false
  const client = async () => {
    const places = []
    while (!isOver) places.push(await answeredBy(server))
    return places
  }
  const clients = [client(), client(), client()]
  await operations.drainWorker({ worker_id: 'standby-1', draining: false })
  await operations.drainWorker({ worker_id: 'worker-1', draining: true })
  expect(await statuses()).toEqual(['draining', 'ready'])
  const last = [await answeredBy(server), await answeredBy(server)]
  isOver = true

  expect(last).toEqual(['standby-1', 'standby-1'])
  const places = (await Promise.all(clients)).flat()
  expect(places.filter((place) => typeof place === 'number')).toEqual([])
  expect(places).toContain('standby-1')
  expect(await new Audit().check(operations, [])).toEqual([])
})

test('a Redis that is away keeps nothing from starting and serving', async () => {
  const server = await startRunningServer({
    // No program listens there.
    REDIS_URL: 'redis://:changeit@127.0.0.1:1',
    SVC_TENANT_WEIGHTS: `acct_${'0'.repeat(26)}=4`,
  })
  expect(await answeredBy(server)).toBe('worker-1')
  const lines = server.process.stderr.trim().split('\n')
  const told = lines.map((line) => JSON.parse(line)).filter(({ workerId }) => !workerId)
  expect(told).toMatchObject([{ level: 40, problem: expect.stringContaining('127.0.0.1:1 ') }])
  expect(server.process.stderr).not.toContain('changeit')
})
