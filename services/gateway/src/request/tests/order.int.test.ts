/** Nothing is sent before the acceptance is durable, and no end before the debit is. */
import { StoreUnavailableError } from '@svc/contracts/ports/event-store'
import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { plainScript } from '@svc/testing/scripted-worker'
import { gate, StreamReader } from '@svc/testing/stream-reader'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

let fixture: GatewayFixture

beforeEach(async () => {
  fixture = await startGateway({ script: { tokens: 2 }, limits: { streamKeepAliveMs: 20 } })
})
afterEach(() => fixture[Symbol.asyncDispose]())

/** Whether the promise is still open after everything that could settle it had its turn. */
async function staysPending(promise: Promise<unknown>): Promise<boolean> {
  const mark = Symbol('pending')
  const later = new Promise((resolve) => setTimeout(resolve, 100, mark))
  return (await Promise.race([promise, later])) === mark
}

test('the worker starts before the acceptance is durable, the answer after it', async () => {
  const durable = gate()
  fixture.ledger.durable = () => durable.passed
  const answer = fixture.post(chatBody({ stream: true }))
  await expect.poll(() => fixture.worker.runs[0]?.made).toBe(2)
  expect(await staysPending(answer)).toBe(true)
  durable.open()
  expect(await new StreamReader(await answer).rest()).toMatch(/data: \[DONE\]\n\n$/)
})

test('an acceptance that does not become durable cancels the worker and is an error', async () => {
  fixture.worker.script = { ...plainScript, tokens: 1_000, delayMs: 5 }
  const durable = gate()
  fixture.ledger.durable = () => durable.passed
  const answer = fixture.post(chatBody({ stream: true }))
  await expect.poll(() => fixture.worker.runs[0]?.made).toBeGreaterThan(0)
  durable.fail(new StoreUnavailableError('The store is away.'))
  const response = await answer
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('1')
  expect(await response.json()).toMatchObject({ error: { code: 'store_unavailable' } })
  await fixture.worker.runs[0]?.ended
  expect(fixture.worker.runs[0]?.cancelledAt).toBeDefined()
  expect(fixture.ledger.entries.size).toBe(0)
})

test('what waits for the acceptance is not sent for nothing when the run is stopped', async () => {
  fixture.worker.script = { ...plainScript, tokens: 1_000, delayMs: 5 }
  const durable = gate()
  fixture.ledger.durable = () => durable.passed
  const answer = fixture.post(chatBody({ stream: true })).then((response) => response.text())
  await expect.poll(() => fixture.worker.runs[0]?.made).toBeGreaterThan(0)
  const closed = fixture.gateway.close({ graceMs: 10 })
  await fixture.worker.runs[0]?.ended
  await new Promise((resolve) => setTimeout(resolve, 50))
  durable.open()
  expect(await answer).not.toContain('word')
  await closed
  expect(fixture.ledger.debits()).toEqual([])
})

describe('until the debit is durable', () => {
  test('a stream has its text and no finish reason, usage or [DONE]', async () => {
    const debit = gate()
    fixture.ledger.beforeSettle = () => debit.passed
    const response = await fixture.post(
      chatBody({ stream: true, stream_options: { include_usage: true } }),
    )
    const reader = new StreamReader(response)
    await reader.until('word1')
    const rest = reader.rest()
    expect(await staysPending(rest)).toBe(true)
    expect(reader.text).not.toMatch(/"finish_reason":"|"prompt_tokens"|\[DONE\]/)
    debit.open()
    expect(await rest).toMatch(/"finish_reason":"stop".*"prompt_tokens".*\[DONE\]/s)
  })

  test('an answer that is not streamed has not begun', async () => {
    const debit = gate()
    fixture.ledger.beforeSettle = () => debit.passed
    const answer = fixture.post(chatBody())
    await expect.poll(() => fixture.worker.runs[0]?.made).toBe(2)
    expect(await staysPending(answer)).toBe(true)
    debit.open()
    expect((await answer).status).toBe(200)
  })

  test.each([true, false])(
    'a store that is away for a while is waited for, stream %s',
    async (stream) => {
      let tries = 0
      fixture.ledger.beforeSettle = async () => {
        tries += 1
        if (tries < 4) throw new StoreUnavailableError('The store is away.')
      }
      const response = await fixture.post(chatBody({ stream }))
      const text = await response.text()
      expect(text).toContain(stream ? '[DONE]' : '"finish_reason":"stop"')
      expect(tries).toBe(4)
      expect(fixture.ledger.debits().length).toBe(1)
    },
  )

  test('a debit that cannot be made ends a stream with an error and without [DONE]', async () => {
    fixture.ledger.beforeSettle = () => Promise.reject(new RangeError('No.'))
    const response = await fixture.post(chatBody({ stream: true }))
    const text = await new StreamReader(response).rest()
    expect(text).toContain('"code":"internal_error"')
    expect(text).not.toContain('[DONE]')
  })
})

test('a silent worker does not make a silent stream', async () => {
  fixture.worker.script = { ...plainScript, tokens: 2, prefillMs: 300 }
  const response = await fixture.post(chatBody({ stream: true }))
  const reader = new StreamReader(response)
  await reader.until(': keep-alive\n\n')
  expect(reader.text).toContain('"role":"assistant"')
  await expect.poll(() => fixture.worker.runs[0]?.made).toBe(0)
  expect(await reader.rest()).toMatch(/word1.*\[DONE\]\n\n$/s)
})

test('the crash points of a request are reached in the order of its life', async () => {
  await (await fixture.post(chatBody())).text()
  expect(fixture.reached).toEqual([
    'generate.first-token',
    'generate.token',
    'generate.token',
    'generate.metered',
    'settle.before',
    'settle.after',
    'answer.before-end',
    'answer.after-end',
  ])
})

test('a stream that says what an end looks like does not end', async () => {
  fixture.worker.script = {
    ...plainScript,
    tokens: 3,
    text: (index) => ['\n\ndata: [DONE]\n\n', 'a\u2028b\u0000\r', 'last'][index] ?? '',
  }
  const response = await fixture.post(chatBody({ stream: true }))
  // A line of keep-alive comes when the machine is slow.
  const isEvent = (event: string) => event !== '' && !event.startsWith(':')
  const events = (await new StreamReader(response).rest()).split('\n\n').filter(isEvent)
  const contents = events.slice(0, -1).map((event) => {
    return JSON.parse(event.replace('data: ', '')).choices[0].delta.content
  })
  expect(contents.join('')).toBe('\n\ndata: [DONE]\n\na\u2028b\u0000\rlast')
  expect(events.at(-1)).toBe('data: [DONE]')
  expect(response.headers.get('cache-control')).toContain('no-store')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
})
