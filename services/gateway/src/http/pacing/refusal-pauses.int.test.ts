/** Clients that ask again and again although they are refused. */

import { once } from 'node:events'
import { Agent, get } from 'node:http'
import type { Timer } from '@svc/contracts/ports/time'
import { systemTimer } from '@svc/infra/system/system-timer'
import {
  chatBody,
  type FixtureOptions,
  type GatewayFixture,
  startGateway,
} from '@svc/testing/gateway/gateway-fixture'
import { until } from '@svc/testing/until'
import { afterEach, expect, test } from 'vitest'
import { expectErrorBody } from '../../../testing/oracle.ts'

/** Longer than any of a flood waits for its turn, and as no other time of the gateway. */
const PAUSE_MS = 12_345
/** Eight seconds' worth: no machine is so slow that none of them has to wait. */
const FLOOD = 40
const PAUSING = { refusalsPerSecond: 5, refusalPauseMs: PAUSE_MS }

let fixture: GatewayFixture

async function start(options: FixtureOptions): Promise<void> {
  fixture = await startGateway(options)
}
afterEach(() => fixture[Symbol.asyncDispose]())

const nothing = () => fixture.post({})
const other = () => ({ authorization: `Bearer ${fixture.ledger.otherSecret}` })

test('refusals beyond those of a second are sent after a pause', async () => {
  await start({ limits: { ...PAUSING, refusalPauseMs: 60_000 } })
  let answered = 0
  const asks = Array.from({ length: FLOOD }, async () => {
    const answer = await nothing()
    expectErrorBody(await answer.text(), { status: 400, code: 'missing_required_parameter' })
    answered += 1
  })
  const all = Promise.allSettled(asks)
  await until(() => answered >= PAUSING.refusalsPerSecond)
  // Answered after those of the flood that do not wait: they came before it.
  expect((await fixture.post(chatBody())).status).toBe(200)
  expect(answered).toBeLessThan(FLOOD)
  await fixture.gateway.close({ graceMs: 1_000 })
  await all
})

test('answers, and the refusals of other accounts, do not wait', async () => {
  const pauseMs = 60_000
  await start({ limits: { ...PAUSING, refusalPauseMs: pauseMs } })
  const many = Promise.allSettled(Array.from({ length: 20 }, nothing))
  const startMs = performance.now()
  expect((await fixture.post(chatBody())).status).toBe(200)
  expect((await fixture.post({}, other())).status).toBe(400)
  expect(performance.now() - startMs).toBeLessThan(pauseMs)
  await fixture.gateway.close({ graceMs: 1_000 })
  await many
})

test('without a key the address counts', async () => {
  let pauses = 0
  const after: Timer['after'] = (delayMs, run) => {
    if (delayMs !== PAUSE_MS) return systemTimer.after(delayMs, run)
    pauses += 1
    queueMicrotask(run)
    return () => {}
  }
  await start({ timer: { after }, limits: { ...PAUSING, refusalsPerSecond: 1 } })
  const wrong = { authorization: 'Bearer nobody' }
  const statuses = Array.from({ length: 6 }, async () => (await fixture.post({}, wrong)).status)
  expect(await Promise.all(statuses)).toEqual([401, 401, 401, 401, 401, 401])
  expect(pauses).toBeGreaterThan(0)
})

test('a stop does not wait for them', async () => {
  await start({ limits: { ...PAUSING, refusalPauseMs: 60_000 } })
  const refused = Promise.allSettled(Array.from({ length: 8 }, nothing))
  await new Promise((resolve) => setTimeout(resolve, 100))
  const startMs = performance.now()
  await fixture.gateway.close({ graceMs: 1_000 })
  expect(performance.now() - startMs).toBeLessThan(10_000)
  await refused
})

test('many on one connection leave nothing on it', async () => {
  await start({ limits: { refusalsPerSecond: 10, refusalPauseMs: 1 } })
  const warnings: Error[] = []
  const warn = (warning: Error) => warnings.push(warning)
  process.on('warning', warn)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let sent = 0; sent < 30; sent += 1) {
    const [answer] = await once(get({ port: fixture.port, path: '/v1/balance', agent }), 'response')
    expect(answer.resume().statusCode).toBe(401)
    await once(answer, 'end')
  }
  agent.destroy()
  process.off('warning', warn)
  expect(warnings).toEqual([])
})
