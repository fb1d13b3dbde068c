/** What routes of another room throw is answered, counted and logged like what ours throw. */

import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '@svc/contracts/errors'
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import type { FastifyInstance } from 'fastify'
import { afterEach, expect, test } from 'vitest'

/** The time in which all answers come that nothing holds up. */
const SETTLED_MS = 300

let fixture: GatewayFixture
afterEach(() => fixture[Symbol.asyncDispose]())

const admin = async (app: FastifyInstance): Promise<void> => {
  app.get('/refused', () => {
    throw new ServiceError('invalid_api_key', 'The token is wrong.')
  })
  app.get('/broken', () => {
    throw new Error('the inside of the server')
  })
}

test('refusals beyond those of a second are sent after a pause', async () => {
  fixture = await startGateway({ admin, limits: { refusalsPerSecond: 1, refusalPauseMs: 60_000 } })
  const statuses: number[] = []
  const asked = Array.from({ length: 6 }, async () => {
    statuses.push((await fixture.get('/admin/v1/refused')).status)
  })
  // The requests that are held up end with the server.
  void Promise.allSettled(asked)
  await expect.poll(() => statuses[0]).toBe(401)
  await delay(SETTLED_MS)
  expect(statuses.length).toBeLessThan(asked.length)
})

test('a defect of ours is logged with the id that its answer has, and shows nothing', async () => {
  fixture = await startGateway({ admin })
  const answer = await fixture.get('/admin/v1/broken')
  expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('inside')])
  expect(fixture.log.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      requestId: answer.headers.get('x-request-id'),
      msg: 'request failed with an internal error',
      err: expect.objectContaining({ message: 'the inside of the server' }),
    }),
  ])
})
