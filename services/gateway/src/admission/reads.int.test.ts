/** The places of requests that only read. */

import {
  chatBody,
  type FixtureOptions,
  type GatewayFixture,
  startGateway,
} from '@svc/testing/gateway/gateway-fixture'
import { afterEach, expect, test } from 'vitest'

let fixture: GatewayFixture

async function start(options: FixtureOptions): Promise<void> {
  fixture = await startGateway(options)
}
afterEach(() => fixture[Symbol.asyncDispose]())

const SLOW = { tokens: 2_000, delayMs: 5 }
const other = () => ({ authorization: `Bearer ${fixture.ledger.otherSecret}` })

/** Whether the promise is still open after a while. */
async function waits(promise: Promise<unknown>): Promise<boolean> {
  const later = new Promise((resolve) => setTimeout(resolve, 150, 'later'))
  return (await Promise.race([promise, later])) === 'later'
}

const RECEIPT = '/v1/requests/req_01jd3m1e6vh8m8p00000000000'

async function startReading(limits: FixtureOptions['limits']) {
  const views = Promise.withResolvers<boolean>()
  await start({ viewsReached: () => views.promise, ...(limits && { limits }) })
  return views
}

test('reads of one account wait for their turn, and disturb no other and no inference', async () => {
  const views = await startReading({ readsPerAccount: 1 })
  const slow = fixture.get(RECEIPT)
  const second = fixture.get('/v1/balance')
  expect(await waits(second)).toBe(true)
  expect((await fixture.get('/v1/balance', other())).status).toBe(200)
  expect((await fixture.post(chatBody())).status).toBe(200)
  views.resolve(true)
  expect((await slow).status).toBe(404)
  expect((await second).status).toBe(200)
})

test('reads do not wait for requests that run', async () => {
  await start({ script: SLOW, limits: { requestsPerAccount: 1 } })
  const running = await fixture.post(chatBody({ stream: true }))
  for (const path of ['/v1/balance', '/v1/models', '/v1/responses/resp_none']) {
    expect((await fixture.get(path)).status, path).toBeLessThan(429)
  }
  await running.body?.cancel()
})

test('reads beyond the line are told to come back', async () => {
  const views = await startReading({ readsPerAccount: 1, waitingPerAccount: 0 })
  const slow = fixture.get(RECEIPT)
  for (const path of ['/v1/balance', '/v1/models', '/v1/responses/resp_none', RECEIPT]) {
    expect((await fixture.get(path)).status, path).toBe(429)
  }
  views.resolve(true)
  await slow
})

test('reads beyond those of a second come one after the other, and no other account waits', async () => {
  await start({ limits: { readsPerSecond: 5 } })
  const startMs = performance.now()
  const many = Array.from({ length: 7 }, () => fixture.get('/v1/balance'))
  const last = Promise.all(many).then(() => 'last')
  const others = fixture.get('/v1/balance', other()).then(({ status }) => status)
  expect(await Promise.race([last, others])).toBe(200)
  expect((await Promise.all(many)).map(({ status }) => status)).toEqual(Array(7).fill(200))
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(395)
})
