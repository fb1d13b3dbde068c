/** What routes of another room throw is answered, counted and logged like what ours throw. */

import { ServiceError } from '@svc/contracts/errors'
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import type { FastifyInstance } from 'fastify'
import { afterEach, expect, test } from 'vitest'

const PAUSE_MS = 400

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
  const limits = { refusalsPerSecond: 5, refusalPauseMs: PAUSE_MS }
  fixture = await startGateway({ admin, limits })
  const startMs = performance.now()
  const asked = Array.from({ length: 6 }, async () => {
    expect((await fixture.get('/admin/v1/refused')).status).toBe(401)
    return performance.now() - startMs
  })
  const took = (await Promise.all(asked)).sort((one, other) => one - other)
  expect(took.filter((ms) => ms >= PAUSE_MS)).toHaveLength(1)
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
