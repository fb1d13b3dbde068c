/** Workers that die, hang, lie and refuse: honest errors, at most one debit, never too much. */
import type { Logprob } from '@svc/contracts/worker/protocol'
import {
  chatBody,
  type FixtureOptions,
  type GatewayFixture,
  startGateway,
} from '@svc/testing/gateway/gateway-fixture'
import { type Fault, plainScript } from '@svc/testing/scripted-worker'
import { StreamReader } from '@svc/testing/stream-reader'
import { wireFormats } from '@svc/testing/wire-formats'
import { afterEach, describe, expect, test } from 'vitest'
import { bodyOf, postTo } from '../../../testing/format-requests.ts'
import { expectErrorBody } from '../../../testing/oracle.ts'

let fixture: GatewayFixture

async function start(fault: Fault, options: FixtureOptions = {}): Promise<void> {
  fixture = await startGateway({ script: { tokens: 5, delayMs: 3, fault }, ...options })
}
afterEach(() => fixture[Symbol.asyncDispose]())

const stream = { stream: true }
const PROMPT_TOKENS = 3

const breaks: readonly (readonly [name: string, fault: (afterTokens: number) => Fault])[] = [
  ['dies', (afterTokens) => ({ kind: 'die', afterTokens })],
  ['reports an error', (afterTokens) => ({ kind: 'error', afterTokens, meter: false })],
  ['meters and reports an error', (afterTokens) => ({ kind: 'error', afterTokens, meter: true })],
  ['sends no JSON', (afterTokens) => ({ kind: 'garbage', afterTokens, line: '<html>' })],
  ['sends no event', (afterTokens) => ({ kind: 'garbage', afterTokens, line: '{"type":"x"}' })],
  [
    'counts backwards',
    (afterTokens) => ({
      kind: 'garbage',
      afterTokens,
      line: '{"type":"token","text":"x","kind":"text","outputTokens":-1}',
    }),
  ],
  [
    'counts above the limit',
    (afterTokens) => ({
      kind: 'garbage',
      afterTokens,
      line: '{"type":"token","text":"x","kind":"text","outputTokens":1000000}',
    }),
  ],
  [
    'blames a schema where there is none',
    (afterTokens) => ({ kind: 'error', afterTokens, meter: true, code: 'grammar_too_costly' }),
  ],
  [
    'sends a line that is too long',
    (afterTokens) => ({ kind: 'garbage', afterTokens, line: 'x'.repeat(300_000) }),
  ],
]

describe.each(breaks)('a worker that %s', (_name, fault) => {
  test.each([{}, stream])('before any output, %o: 503 and no charge', async (fields) => {
    await start(fault(0))
    const response = await fixture.post(chatBody(fields))
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    expectErrorBody(await response.text(), { status: 503, code: 'worker_failed' })
    expect(fixture.ledger.only()).toMatchObject({ failed: 'worker_failed' })
    expect(fixture.ledger.debits()).toEqual([])
    expect(fixture.ledger.openHolds()).toBe(0n)
  })

  test('after output that was streamed: an error event, and what was delivered', async () => {
    await start(fault(2))
    const text = await new StreamReader(await fixture.post(chatBody(stream))).rest()
    expect(text).toContain('word1')
    expect(text).toMatch(/data: \{"error":\{[^\n]*"code":"worker_failed"\}\}\n\n$/)
    expect(text).not.toContain('[DONE]')
    const { settled } = fixture.ledger.only()
    expect(settled?.input).toMatchObject({
      rule: 'delivered_before_failure',
      finishReason: 'error',
      failure: 'worker_failed',
    })
    const { inputTokens, cachedInputTokens, outputTokens } = settled?.input.meter ?? {}
    expect(outputTokens).toBe(2)
    expect((inputTokens ?? 0) + (cachedInputTokens ?? 0)).toBe(PROMPT_TOKENS)
  })

  test('after output that was not streamed: nothing reached the caller, no charge', async () => {
    await start(fault(2))
    expect((await fixture.post(chatBody())).status).toBe(503)
    expect(fixture.ledger.only()).toMatchObject({ failed: 'worker_failed' })
  })
})

const BOOK_BYTES = Array<number>(70_000).fill(97)

const told = (alternatives: number, token = 'a', bytes: number[] | null = null): Logprob => {
  const each = { token, bytes, logprob: -1 }
  return { ...each, top: Array(alternatives).fill(each) }
}

test.each<[string, object, Logprob[]]>([
  ['that nobody asked for', {}, [told(0)]],
  ['of more alternatives than asked for', { logprobs: true, top_logprobs: 2 }, [told(3)]],
  ['of more tokens than it made', { logprobs: true }, [told(0), told(0)]],
  ['of a token that is a book', { logprobs: true }, [told(0, 'x'.repeat(100_000))]],
  ['of a token with the bytes of a book', { logprobs: true }, [told(0, 'a', BOOK_BYTES)]],
  [
    'with an alternative that is a book',
    { logprobs: true, top_logprobs: 1 },
    [{ ...told(0), top: [told(0, 'x'.repeat(100_000))] }],
  ],
])('a worker that tells log probabilities %s has failed', async (_name, fields, logprobs) => {
  fixture = await startGateway({ script: { events: [{ text: 'a', logprobs }] } })
  const response = await fixture.post(chatBody(fields))
  expectErrorBody(await response.text(), { status: 503, code: 'worker_failed' })
  expect(fixture.ledger.debits()).toEqual([])
})

test('log probabilities of tokens that are long lines of blanks are told', async () => {
  const logprobs = [told(0, ' '.repeat(128), Array<number>(128).fill(32))]
  const events = Array.from({ length: 1_000 }, () => ({ text: ' ', logprobs }))
  fixture = await startGateway({ script: { events } })
  const response = await fixture.post(chatBody({ logprobs: true, max_tokens: 1_000 }))
  expect(response.status).toBe(200)
})

test('a worker is booked under the name that it has here, not the one that it gives', async () => {
  fixture = await startGateway({ worker: { workerId: 'another' } })
  expect((await fixture.post(chatBody())).status).toBe(200)
  expect(fixture.ledger.only().settled?.input.meter.workerId).toBe('wrk_0')
})

test('a worker that calls a tool which nobody gave it has failed', async () => {
  fixture = await startGateway({ script: { events: [{ call: 'erase_all' }] } })
  const response = await fixture.post(chatBody())
  expectErrorBody(await response.text(), { status: 503, code: 'worker_failed' })
  expect(fixture.ledger.debits()).toEqual([])
})

test('a worker that sends events without an end for one token has failed at once', async () => {
  const event = '{"type":"token","text":"x","kind":"text","outputTokens":1}\n'
  await start({ kind: 'garbage', afterTokens: 1, line: event.repeat(2_000) })
  const text = await new StreamReader(await fixture.post(chatBody(stream))).rest()
  expect(text.split('"content":"x').length).toBeLessThan(1_100)
  expect(fixture.log.join('')).toContain('more text than its tokens')
})

describe.each([{}, stream])('a worker whose end contradicts its calls has failed, %o', (fields) => {
  const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }
  const body = chatBody({ ...fields, tools: [tool] })
  const call = [{ call: 'f' }, { arguments: '{"a":' }]
  test.each([
    ['calls, without one', [{ text: 'no call' }], 'tool_calls'],
    ['no call, after one', call, 'stop'],
  ] as const)('%s', async (_name, events, finishReason) => {
    fixture = await startGateway({ script: { events, end: { finishReason, stopText: null } } })
    const text = await (await fixture.post(body)).text()
    expect(text).toContain('"code":"worker_failed"')
    expect(text).not.toContain('"finish_reason":"')
    expect(fixture.ledger.openHolds()).toBe(0n)
    expect(fixture.log.join('')).toContain('in another way than its calls')
  })

  test('not one that is cut in the middle of a call', async () => {
    fixture = await startGateway({ script: { events: [...call, { arguments: '1}' }] } })
    const response = await fixture.post({ ...body, max_tokens: 2 })
    expect(await response.text()).toContain('"finish_reason":"length"')
  })
})

test('a worker that ends at a text that nobody asked it to end at has failed', async () => {
  const end = { finishReason: 'stop', stopText: 'never asked for' } as const
  fixture = await startGateway({ script: { end } })
  expect((await fixture.post(chatBody({ stop: ['END'] }))).status).toBe(503)
  expect(fixture.ledger.debits()).toEqual([])
})

test.each(['/v1/chat/completions', '/v1/messages/count_tokens', '/v1/responses/input_tokens'])(
  'a worker that cannot prepare a prompt fails %s, and the log says which and why',
  async (path) => {
    const prepareRefusal = { status: 500, code: 'failed', message: 'its template broke' } as const
    fixture = await startGateway({ script: { prepareRefusal } })
    const { messages, ...model } = chatBody()
    const prompt = path.includes('responses') ? { input: 'hello' } : { messages }
    const response = await fetch(`${fixture.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${fixture.ledger.secret}`,
      },
      body: JSON.stringify({ ...model, ...prompt }),
    })
    expect(response.status).toBe(503)
    expect(fixture.log.join('')).toContain('wrk_0: its template broke')
    expect(fixture.log.join('')).toContain('worker failed to prepare a prompt')
    expect(await response.text()).not.toContain('template')
  },
)

test('a worker that ends without a meter has failed', async () => {
  await start({ kind: 'no-meter' })
  expect((await fixture.post(chatBody())).status).toBe(503)
  expect(fixture.ledger.debits()).toEqual([])
})

test.each([
  { input: 50, output: 0 },
  { input: 0, output: 2_000 },
])('a worker that meters too much (%o) is not believed, and an alarm rings', async (wrong) => {
  await start({ kind: 'wrong-meter', ...wrong })
  const response = await fixture.post(chatBody({ max_tokens: 5 }))
  expect(await response.json()).toMatchObject({
    usage: { prompt_tokens: PROMPT_TOKENS, completion_tokens: 5 },
  })
  expect(fixture.log.join('')).toContain('worker meter exceeds')
})

test.each([{}, stream])(
  'output that never came is not billed, and an alarm rings, %o',
  async (fields) => {
    await start({ kind: 'wrong-meter', input: 0, output: 400 })
    const response = await fixture.post(chatBody({ ...fields, max_tokens: 1_000 }))
    expect(await response.text()).toContain('word4')
    expect(fixture.ledger.only().settled?.input.meter.outputTokens).toBe(5)
    expect(fixture.log.join('')).toContain('worker meter exceeds')
  },
)

test.each(['queue_full', 'draining'] as const)(
  'all workers say %s: overloaded, not broken',
  async (code) => {
    await start({ kind: 'refuse', status: 503, code }, { workers: 2 })
    const response = await fixture.post(chatBody(stream))
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    expectErrorBody(await response.text(), { status: 503, code: 'server_is_overloaded' })
    expect(fixture.ledger.openHolds()).toBe(0n)
  },
)

test.each(wireFormats)(
  'all workers are full: clients of $name are told so by the status that they know',
  async (format) => {
    await start({ kind: 'refuse', status: 503, code: 'queue_full' })
    const response = await postTo(fixture, format.paths[0], bodyOf(format))
    const status = format.family === 'anthropic' ? 529 : 503
    const told = ['retry-after', 'x-should-retry'].map((name) => response.headers.get(name))
    expect([response.status, ...told]).toEqual([status, '1', 'true'])
    const { family } = format
    expectErrorBody(await response.text(), { status, code: 'server_is_overloaded', family })
  },
)

test('a run that had to make room in a full queue: overloaded, not broken', async () => {
  await start({ kind: 'error', afterTokens: 0, meter: true, code: 'queue_full' })
  const response = await fixture.post(chatBody(stream))
  expect(response.status).toBe(503)
  expectErrorBody(await response.text(), { status: 503, code: 'server_is_overloaded' })
  expect(fixture.ledger.openHolds()).toBe(0n)
  expect(fixture.ledger.debits()).toEqual([])
})

describe('with another worker at hand', () => {
  test.each([{}, stream])(
    'a run that breaks early is made there, one debit, %o',
    async (fields) => {
      await start({ kind: 'die', afterTokens: 0 }, { workers: 2 })
      const [, second] = fixture.workers
      if (second !== undefined) second.script = plainScript
      for (let round = 0; round < 4; round += 1) {
        const response = await fixture.post(chatBody(fields))
        expect(response.status).toBe(200)
        await response.text()
      }
      expect(fixture.ledger.debits().length).toBe(4)
      expect(fixture.workers[0]?.runs.length).toBeGreaterThan(0)
    },
  )

  test('a run that breaks after output is not made again', async () => {
    await start({ kind: 'die', afterTokens: 2 }, { workers: 2 })
    await new StreamReader(await fixture.post(chatBody(stream))).rest()
    const runs = fixture.workers.flatMap((worker) => worker.runs)
    expect(runs.length).toBe(1)
    expect(fixture.ledger.debits().length).toBe(1)
  })
})

describe('no worker at all', () => {
  test('503 overloaded, before the ledger is asked, and not ready', async () => {
    await start({ kind: 'no-meter' })
    await fixture.worker.close()
    await expect.poll(() => fixture.pool.workers[0]?.ready).toBe(false)
    const response = await fixture.post(chatBody())
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    expectErrorBody(await response.text(), { status: 503, code: 'server_is_overloaded' })
    expect(fixture.ledger.acceptCalls).toBe(0)
    expect((await fixture.get('/readyz')).status).toBe(503)
    expect((await fixture.get('/livez')).status).toBe(200)
  })

  test('a worker that comes back is used again', async () => {
    await start({ kind: 'no-meter' })
    await fixture.worker.close()
    await expect.poll(() => fixture.pool.workers[0]?.ready).toBe(false)
    fixture.worker.script = plainScript
    await fixture.worker.listen()
    expect(await fixture.pool.whenReady(5_000)).toBe(true)
    expect((await fixture.post(chatBody())).status).toBe(200)
  })
})

test.each([{}, stream])(
  'a request above its deadline is stopped and charged, %o',
  async (fields) => {
    await start({ kind: 'hang', afterTokens: 2 }, { limits: { requestDeadlineMs: 200 } })
    const response = await fixture.post(chatBody(fields))
    const text = await response.text()
    expect(text).toContain('"code":"timeout"')
    expect(text).not.toContain('[DONE]')
    expect(response.status).toBe('stream' in fields ? 200 : 504)
    // It was charged: a client that repeats it by itself would pay again.
    expect(response.headers.get('x-should-retry')).toBe('stream' in fields ? null : 'false')
    const { settled } = fixture.ledger.only()
    expect(settled?.input).toMatchObject({ rule: 'metered_until_cancelled', failure: 'timeout' })
    expect(settled?.input.meter.outputTokens).toBe(2)
  },
)
