/** The Messages format through the real HTTP server. */

import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway({ worker: { contextSize: 100 } })
})
beforeEach(() => {
  fixture.worker.script = { ...fixture.worker.script, tokens: 2, events: null }
  fixture.ledger.entries.clear()
})
afterAll(() => fixture[Symbol.asyncDispose]())

const hi = [{ role: 'user', content: 'hello there' }]

function send(path: string, fields: object = {}, headers: Record<string, string> = {}) {
  return fetch(fixture.baseUrl + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': fixture.ledger.secret,
      'anthropic-version': '2023-06-01',
      ...headers,
    },
    body: JSON.stringify({ model: 'svc-beta', max_tokens: 20, messages: hi, ...fields }),
  })
}

const usageOf = async (response: Response) => {
  const { usage } = (await response.json()) as { usage: { input_tokens: number } }
  return usage.input_tokens
}

describe('an answer', () => {
  test.each(['2023-06-01', '2026-10-21'])('is whole under version %s', async (version) => {
    const response = await send('/v1/messages', {}, { 'anthropic-version': version })
    expect(response.status).toBe(200)
    expect(response.headers.get('request-id')).toMatch(/^req_/)
    expect(await response.json()).toMatchObject({
      type: 'message',
      model: 'svc-beta',
      content: [{ type: 'text', text: 'word word1' }],
      stop_reason: 'end_turn',
    })
    expect(fixture.ledger.debits().length).toBe(1)
  })

  test.each([
    ['a bearer key', { 'x-api-key': '', authorization: 'Bearer KEY' }],
    ['a base address with /v1 too many', {}],
    ['betas that nobody knows', { 'anthropic-beta': 'context-management-2025-06-27,x' }],
  ])('is given to a client with %s', async (_name, given) => {
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        value.replace('KEY', fixture.ledger.secret),
      ]),
    )
    const withKey = { 'x-api-key': fixture.ledger.secret, ...headers }
    const { 'x-api-key': key, ...rest } = withKey
    const response = await fetch(`${fixture.baseUrl}/v1/v1/messages?beta=true`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === '' ? {} : { 'x-api-key': key }),
        ...rest,
      },
      body: JSON.stringify({ model: 'svc-4', max_tokens: 9, messages: hi }),
    })
    expect(response.status, await response.clone().text()).toBe(200)
    expect(await response.json()).toMatchObject({ model: 'svc-beta' })
  })

  test('streams named events, and ends with what was billed', async () => {
    const response = await send('/v1/messages', { stream: true })
    const text = await response.text()
    expect([...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(text).not.toContain('[DONE]')
  })

  test('calls tools', async () => {
    fixture.worker.script = {
      ...fixture.worker.script,
      events: [{ call: 'look' }, { arguments: '{"city":' }, { arguments: '"Oslo"}' }],
    }
    const tools = [{ name: 'look', input_schema: { type: 'object' } }]
    const tool_choice = { type: 'any' }
    const response = await send('/v1/messages', { tools, tool_choice })
    expect(await response.json()).toMatchObject({
      content: [{ type: 'tool_use', name: 'look', input: { city: 'Oslo' } }],
      stop_reason: 'tool_use',
    })
    expect(fixture.worker.prepared.at(-1)?.toolUse).toMatchObject({ choice: 'required' })
  })

  test('numbers of a call keep their digits, on the way in and in a whole answer', async () => {
    const given = '{"id":12345678901234567890,"deep":[{"at":0.1000000000000000055}]}'
    const events = [{ call: 'look' }, { arguments: given.slice(0, 9) }]
    fixture.worker.script = {
      ...fixture.worker.script,
      events: [...events, { arguments: given.slice(9) }],
    }
    const call = `{"type":"tool_use","id":"c1","name":"look","input":${given}}`
    const body = JSON.stringify({
      model: 'svc-beta',
      max_tokens: 9,
      temperature: 0.30000000000000004,
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
      messages: [
        ...hi,
        { role: 'assistant', content: ['CALL'] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'rain' }] },
      ],
    }).replace('"CALL"', call)
    const response = await fetch(`${fixture.baseUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': fixture.ledger.secret },
      body,
    })
    const text = await response.text()
    expect(response.status, text).toBe(200)
    expect(text).toContain(`"input":${given}`)
    expect(fixture.worker.prepared.at(-1)?.messages).toContainEqual(
      expect.objectContaining({ toolCalls: [{ id: 'c1', name: 'look', arguments: given }] }),
    )
  })
})

describe('a count', () => {
  test('complaint 12: is the input that the same request is billed for, and costs nothing', async () => {
    const fields = {
      system: 'be brief',
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
    }
    const counted = await send('/v1/messages/count_tokens?beta=true', fields)
    expect(counted.status).toBe(200)
    const { input_tokens } = (await counted.json()) as { input_tokens: number }
    expect(fixture.ledger.entries.size).toBe(0)
    expect(input_tokens).toBe(await usageOf(await send('/v1/messages', fields)))
  })

  test('is given twenty-five times at once, and on an empty balance', async () => {
    const counts = await fixture.ledger.withBalance(0n, () =>
      Promise.all(Array.from({ length: 25 }, () => send('/v1/messages/count_tokens'))),
    )
    for (const { status } of counts) expect(status).toBe(200)
  })
})

describe('an error', () => {
  const shape = (type: string, code: string) => ({
    type: 'error',
    error: { type, message: expect.any(String), details: { error_code: code } },
    request_id: expect.stringMatching(/^req_/),
  })

  test.each<[string, () => Promise<Response>, number, string, string]>([
    [
      'of a field',
      () => send('/v1/messages', { max_tokens: 0 }),
      400,
      'invalid_request_error',
      'invalid_value',
    ],
    [
      'of the model',
      () => send('/v1/messages', { model: 'claude-x' }),
      400,
      'not_found_error',
      'model_not_found',
    ],
    [
      'of the key',
      () => send('/v1/messages', {}, { 'x-api-key': 'sk-svc-no' }),
      401,
      'authentication_error',
      'invalid_api_key',
    ],
    [
      'of the media type',
      () => send('/v1/messages', {}, { 'content-type': 'text/plain' }),
      415,
      'invalid_request_error',
      'unsupported_media_type',
    ],
    ['of the path', () => send('/v1/messages/batches'), 404, 'not_found_error', 'unknown_url'],
    [
      'of the method',
      () => fetch(`${fixture.baseUrl}/v1/messages`),
      405,
      'invalid_request_error',
      'method_not_allowed',
    ],
  ])('%s has the shape of the family', async (_name, call, status, type, code) => {
    const response = await call()
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual(shape(type, code))
    expect(fixture.ledger.entries.size).toBe(0)
    if (status !== 400) expect(response.headers.get('x-should-retry')).toBe('false')
  })

  test('of a wrong base URL names the right one, which has no /v1', async () => {
    const response = await send('/anthropic/v1/messages', {}, { 'anthropic-version': '2023-06-01' })
    expect(response.status).toBe(404)
    expect(await response.text()).toContain(`client to ${fixture.baseUrl}."`)
  })

  test('of an empty balance is 402, in words that agents show as they are', async () => {
    const response = await fixture.ledger.withBalance(0n, () => send('/v1/messages'))
    expect(response.status).toBe(402)
    expect(response.headers.get('x-should-retry')).toBe('false')
    const body = await response.json()
    const { error, ...rest } = shape('billing_error', 'insufficient_quota')
    const funds = {
      required: expect.stringMatching(/^0\.\d+$/),
      available: '0.00',
      held: '0.00',
      balance_url: '/v1/balance',
    }
    expect(body).toEqual({ ...rest, error: { ...error, details: { ...error.details, funds } } })
    // With these words Claude Code hides the amounts behind a notice of its own.
    expect(JSON.stringify(body)).not.toMatch(/credit balance/i)
  })

  test.each([{ type: 'create' }, { type: 'continue', previous_message_id: 'msg_1' }])(
    'of a thread makes SDKs send the whole conversation, and costs nothing',
    async (thread) => {
      const response = await send('/v1/messages', { thread })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({
        error: { details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] } },
      })
      expect(fixture.ledger.entries.size).toBe(0)
    },
  )

  test.each([
    [{ messages: [{ role: 'user', content: 'a'.repeat(4_000) }] }, /^prompt is too long/],
    [{ max_tokens: 99 }, /^input length and `max_tokens` exceed context limit: \d+ \+ 99 > 100, /],
    [{ max_tokens: 32_000 }, /^max_tokens: 32000 > 100, which is the maximum allowed/],
  ])('of the context has numbers that agents read', async (fields, words) => {
    const response = await send('/v1/messages', fields)
    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: { message: string } }
    expect(error.message).toMatch(words)
  })

  test('inside a stream is an event, and nothing follows it', async () => {
    fixture.worker.script = {
      ...fixture.worker.script,
      tokens: 3,
      delayMs: 1,
      fault: { kind: 'die', afterTokens: 2 },
    }
    const text = await (await send('/v1/messages', { stream: true })).text()
    fixture.worker.script = { ...fixture.worker.script, delayMs: 0, fault: null }
    expect(text).toMatch(/event: error\ndata: {"type":"error",[^\n]*}\n\n$/)
    fixture.log.length = 0
  })
})

describe('models', () => {
  const get = (path: string, headers: Record<string, string>) =>
    fetch(fixture.baseUrl + path, { headers: { 'x-api-key': fixture.ledger.secret, ...headers } })

  test('complaint of families: are listed in the shape of the family that asks', async () => {
    const version = { 'anthropic-version': '2023-06-01' }
    // The size is known from a worker's health, and the worker of the last test has just died.
    const list = async () => (await get('/v1/models?limit=1000', version)).json()
    await expect.poll(list).toMatchObject({
      data: [{ type: 'model', id: 'svc-beta', max_input_tokens: 100, lifecycle: 'active' }],
      has_more: false,
      first_id: 'svc-beta',
      last_id: 'svc-beta',
    })
    expect(await (await get('/v1/models/svc-beta', version)).json()).toMatchObject({
      type: 'model',
      display_name: 'svc-beta',
    })
    expect(await (await get('/v1/models', {})).json()).toMatchObject({ object: 'list' })
  })

  test('that are unknown are told in the shape of the family', async () => {
    const response = await get('/v1/models/a/b', { 'anthropic-version': '2023-06-01' })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: { type: 'not_found_error' } })
  })
})

test('probes of clients are answered', async () => {
  for (const path of ['/api/hello', '/', '/health']) {
    const response = await fetch(fixture.baseUrl + path, { method: 'HEAD' })
    expect(response.status).toBe(200)
  }
})
