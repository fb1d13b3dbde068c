/**
 * Runs that break by their own schema: made once, and paid for where they took everybody's time.
 */

import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { type Fault, plainScript } from '@svc/testing/scripted-worker'
import { StreamReader } from '@svc/testing/stream-reader'
import { afterEach, describe, expect, test } from 'vitest'
import { expectErrorBody } from '../../../testing/oracle.ts'

const WORKERS = 2
const PROMPT_TOKENS = 3
const UNDER_GRAMMAR = { grammar: 'root ::= "x"', grammarFrom: 'answer' } as const
const costly = (afterTokens: number): Fault => ({
  kind: 'error',
  afterTokens,
  meter: true,
  code: 'grammar_too_costly',
})

let fixture: GatewayFixture
afterEach(() => fixture[Symbol.asyncDispose]())

async function start(fault: Fault, plan: object = UNDER_GRAMMAR): Promise<void> {
  const script = { tokens: 5, delayMs: 1, fault, plan: { callable: [], ...plan } }
  fixture = await startGateway({ script, workers: WORKERS })
}
const runs = () => fixture.workers.flatMap((worker) => worker.runs).length

describe('a run whose schema is too costly to follow', () => {
  test.each([0, 2])('is made once and charged, not streamed, after %i tokens', async (made) => {
    await start(costly(made))
    const response = await fixture.post(chatBody())
    expect(response.status).toBe(400)
    expect(response.headers.get('x-should-retry')).not.toBe('true')
    const text = await response.text()
    expectErrorBody(text, { status: 400, code: 'schema_too_costly' })
    expect(runs()).toBe(1)
    const { settled } = fixture.ledger.only()
    expect(settled?.input).toMatchObject({
      rule: 'metered',
      finishReason: 'error',
      failure: 'schema_too_costly',
    })
    const { inputTokens, cachedInputTokens, outputTokens } = settled?.input.meter ?? {}
    expect((inputTokens ?? 0) + (cachedInputTokens ?? 0)).toBe(PROMPT_TOKENS)
    expect(outputTokens).toBe(made)
    expect(fixture.ledger.openHolds()).toBe(0n)
  })

  test('is charged as a stream too, and the stream says why it ends', async () => {
    await start(costly(2))
    const text = await new StreamReader(await fixture.post(chatBody({ stream: true }))).rest()
    expect(text).toMatch(/"code":"schema_too_costly"/)
    expect(text).not.toContain('[DONE]')
    expect(runs()).toBe(1)
    expect(fixture.ledger.only().settled?.input.meter.outputTokens).toBe(2)
  })
})

test('a run whose grammar leaves no token is made once, and costs nothing', async () => {
  await start({ kind: 'error', afterTokens: 2, meter: true, code: 'grammar_stuck' })
  expect((await fixture.post(chatBody())).status).toBe(503)
  expect(runs()).toBe(1)
  expect(fixture.ledger.only()).toMatchObject({ failed: 'worker_failed' })
})

describe('a run under a schema that its worker died of', () => {
  test('is not sent to another worker', async () => {
    await start({ kind: 'die', afterTokens: 0 })
    expect((await fixture.post(chatBody())).status).toBe(503)
    expect(runs()).toBe(1)
    expect(fixture.ledger.debits()).toEqual([])
  })

  test('is, where it has no schema', async () => {
    await start({ kind: 'die', afterTokens: 0 }, { grammar: null })
    expect((await fixture.post(chatBody())).status).toBe(503)
    expect(runs()).toBe(2)
  })

  test('is, where its worker only was too busy', async () => {
    await start({ kind: 'refuse', status: 503, code: 'queue_full' })
    const [, second] = fixture.workers
    if (second !== undefined) second.script = { ...plainScript, ...second.script, fault: null }
    for (let round = 0; round < 2; round += 1) {
      expect((await fixture.post(chatBody())).status).toBe(200)
    }
  })
})
