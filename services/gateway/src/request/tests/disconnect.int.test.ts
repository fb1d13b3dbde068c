/**
 * The client leaves, in every phase: the worker stops at once, and what was made is billed once.
 * The gateway's time stands still: it waits for no timer, but where a worker does not answer.
 */

import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { ManualTime } from '@svc/testing/manual-time'
import { plainScript, type WorkerScript } from '@svc/testing/scripted-worker'
import { gate, StreamReader } from '@svc/testing/stream-reader'
import { until } from '@svc/testing/until'
import { wireFormats } from '@svc/testing/wire-formats'
import { chatFormat } from '@svc/testing/wire-formats/chat-format'
import type { WireFormat } from '@svc/testing/wire-formats/wire-format'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bodyOf, postTo } from '../../../testing/format-requests.ts'

const CANCEL_WAIT_MS = 200
let fixture: GatewayFixture
let leave: AbortController
let time: ManualTime

beforeEach(async () => {
  time = new ManualTime()
  fixture = await startGateway({ timer: time, limits: { cancelWaitMs: CANCEL_WAIT_MS } })
  leave = new AbortController()
})
afterEach(() => fixture[Symbol.asyncDispose]())

const play = (script: Partial<WorkerScript>) => {
  fixture.worker.script = { ...plainScript, ...script }
}

function post(fields: object, format: WireFormat = chatFormat): Promise<Response> {
  const body = bodyOf(format, { ...fields, ...LONG[format.name] })
  return postTo(fixture, format.paths[0], body, {}, leave.signal)
}

/** The requests for more than any test waits for. */
const LONG = {
  chat: { max_tokens: 1_000 },
  responses: { max_output_tokens: 1_000 },
  messages: { max_tokens: 1_000 },
}
const ways = wireFormats.flatMap((format) => [
  { format, stream: false },
  { format, stream: true },
])

async function gone(answer: Promise<unknown>): Promise<void> {
  leave.abort()
  await expect(answer).rejects.toThrow()
}

/** Lets the time pass that a worker has to answer a cancel, when the gateway has noticed. */
async function cutOff(): Promise<void> {
  await until(async () => {
    await time.advance(CANCEL_WAIT_MS)
    return fixture.worker.runs[0]?.broken === true
  })
}

/** Waits for the end of the one request of the test. */
async function ended() {
  await expect.poll(() => fixture.ledger.openHolds()).toBe(0n)
  const { settled, failed } = fixture.ledger.only()
  return { settled: settled?.input, failed }
}

test.each(['/v1/chat/completions', '/v1/messages/count_tokens', '/v1/responses/input_tokens'])(
  'during prepare on %s: the worker is told to stop, and is trusted as before',
  async (path) => {
    play({ prepareMs: 60_000 })
    const { messages, ...model } = chatBody()
    const prompt = path.includes('responses') ? { input: 'hello' } : { messages }
    const answer = postTo(fixture, path, { ...model, ...prompt }, {}, leave.signal)
    await expect.poll(() => fixture.worker.prepared.length).toBe(1)
    await gone(answer)
    await expect.poll(() => fixture.worker.abandoned).toBe(1)
    expect(fixture.worker.prepared.length).toBe(1)
    expect(fixture.log.join('')).not.toContain('worker failed')
    play({})
    leave = new AbortController()
    expect((await post({})).status).toBe(200)
  },
)

test('during prepare: nothing is accepted', async () => {
  play({ prepareMs: 60_000 })
  const answer = post({})
  await expect.poll(() => fixture.worker.prepared.length).toBe(1)
  await gone(answer)
  await fixture.gateway.close({ graceMs: 1_000 })
  expect(fixture.ledger.acceptCalls).toBe(0)
  expect(fixture.worker.runs).toEqual([])
})

describe.each(ways)('complaint 10: $format.name, streamed $stream', ({ format, stream }) => {
  test('during prefill: cancelled, billed what the worker metered', async () => {
    play({ prefillMs: 60_000 })
    const answer = post({ stream }, format)
    await expect.poll(() => fixture.worker.runs.length).toBe(1)
    await gone(answer)
    const { settled } = await ended()
    expect(settled).toMatchObject({ rule: 'metered_until_cancelled', finishReason: 'cancelled' })
    expect(settled?.meter.outputTokens).toBe(0)
    expect(fixture.worker.runs[0]?.cancelledAt).toBeDefined()
  })

  test('during decode: cancelled, billed what was made', async () => {
    play({ tokens: 10_000, delayMs: 2 })
    const answer = post({ stream }, format).then((response) => response.text())
    await expect.poll(() => fixture.worker.runs[0]?.made).toBeGreaterThan(5)
    await gone(answer)
    const { settled } = await ended()
    expect(settled).toMatchObject({ rule: 'metered_until_cancelled', failure: null })
    expect(settled?.meter.outputTokens).toBe(fixture.worker.runs[0]?.made)
  })

  test('before the acceptance is durable: the durable request is still settled', async () => {
    play({ tokens: 10_000, delayMs: 2 })
    const durable = gate()
    fixture.ledger.durable = () => durable.passed
    const answer = post({ stream }, format)
    await expect.poll(() => fixture.worker.runs[0]?.made).toBeGreaterThan(0)
    await gone(answer)
    await fixture.worker.runs[0]?.ended
    expect(fixture.ledger.openHolds()).toBeGreaterThan(0n)
    durable.open()
    expect((await ended()).settled?.finishReason).toBe('cancelled')
  })

  test('while the debit is written: it is written, once', async () => {
    play({ tokens: 3 })
    const debit = gate()
    fixture.ledger.beforeSettle = () => debit.passed
    const answer = post({ stream }, format).then((response) => response.text())
    await expect.poll(() => fixture.reached.at(-1)).toBe('settle.before')
    await gone(answer)
    debit.open()
    const { settled } = await ended()
    expect(settled).toMatchObject({ rule: 'metered', finishReason: 'stop' })
    expect(settled?.meter.outputTokens).toBe(3)
  })
})

test('a worker that answers no cancel is cut off, and what was delivered is billed', async () => {
  play({ tokens: 10_000, delayMs: 2, deafToCancel: true })
  const reader = new StreamReader(await post({ stream: true }))
  await reader.until('word5')
  leave.abort()
  await cutOff()
  const { settled } = await ended()
  expect(settled).toMatchObject({ rule: 'delivered_before_failure', failure: 'client_gone' })
  expect(settled?.meter).toMatchObject({ inputTokens: 0, cachedInputTokens: 3 })
  expect(settled?.meter.outputTokens).toBeGreaterThanOrEqual(6)
  await fixture.worker.runs[0]?.ended
  expect(fixture.worker.runs[0]?.broken).toBe(true)
})

test('a worker that answers no cancel, and nothing was delivered: nothing is billed', async () => {
  play({ tokens: 10_000, delayMs: 2, deafToCancel: true })
  const answer = post({})
  await expect.poll(() => fixture.worker.runs[0]?.made).toBeGreaterThan(5)
  await gone(answer)
  await cutOff()
  expect(await ended()).toEqual({ settled: undefined, failed: 'client_gone' })
})
