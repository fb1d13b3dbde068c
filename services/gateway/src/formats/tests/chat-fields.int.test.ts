/**
 * The fields that only a chat request has, wrong: status, code and param, and nothing charged. What
 * all formats have is in bad-input.int.test.ts.
 */

import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postTo } from '../../../testing/format-requests.ts'
import { expectRefused } from '../../../testing/oracle.ts'

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway({ worker: { contextSize: 100 }, script: { tokens: 1 } })
})
afterAll(() => fixture[Symbol.asyncDispose]())

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })
const tool = { type: 'function', function: { name: 'f', parameters: {} } }

type Case = readonly [name: string, fields: object, code: string, param: string]

const invalid: readonly Case[] = [
  ['no role', { messages: [{ content: 'a' }] }, 'missing_required_parameter', 'messages[0].role'],
  ['an empty list of parts', user([]), 'invalid_value', 'messages[0].content'],
  [
    'audio behind text',
    user([{ type: 'text', text: 'a' }, { type: 'input_audio' }]),
    'unsupported_value',
    'messages[0].content[1]',
  ],
  ['a file', user([{ type: 'file' }]), 'unsupported_value', 'messages[0].content[0]'],
  [
    'role tool without a call',
    { messages: [{ role: 'tool', content: 'a' }] },
    'missing_required_parameter',
    'messages[0].tool_call_id',
  ],
  [
    'a call without its function',
    { messages: [{ role: 'assistant', content: null, tool_calls: [{ id: 'a' }] }] },
    'missing_required_parameter',
    'messages[0].tool_calls[0].function',
  ],
  [
    'a function of the old kind',
    { messages: [{ role: 'function', name: 'f', content: 'a' }] },
    'unsupported_value',
    'messages[0].role',
  ],
  [
    'max_completion_tokens above the context',
    { max_completion_tokens: 98 },
    'context_length_exceeded',
    'max_completion_tokens',
  ],
  ['presence_penalty 3', { presence_penalty: 3 }, 'invalid_value', 'presence_penalty'],
  ['reasoning_effort "very"', { reasoning_effort: 'very' }, 'invalid_value', 'reasoning_effort'],
  ['tools are text', { tools: 'all' }, 'invalid_value', 'tools'],
  [
    'a tool of another kind',
    { tools: [{ type: 'custom', custom: { name: 'c' } }] },
    'unsupported_value',
    'tools[0].type',
  ],
  [
    'a tool without its function',
    { tools: [{ type: 'function' }] },
    'missing_required_parameter',
    'tools[0].function',
  ],
  [
    'parameters that are text',
    { tools: [{ type: 'function', function: { name: 'f', parameters: '{}' } }] },
    'invalid_value',
    'tools[0].function.parameters',
  ],
  ['a choice without tools', { tool_choice: 'required' }, 'invalid_value', 'tool_choice'],
  [
    'a choice of another kind',
    { tools: [tool], tool_choice: { type: 'custom' } },
    'unsupported_value',
    'tool_choice.type',
  ],
  ['functions', { functions: [{ name: 'f' }] }, 'unsupported_parameter', 'functions'],
  [
    'response_format xml',
    { response_format: { type: 'xml' } },
    'invalid_value',
    'response_format.type',
  ],
  [
    'response_format json_schema without one',
    { response_format: { type: 'json_schema' } },
    'missing_required_parameter',
    'response_format.json_schema',
  ],
  ['top_logprobs alone', { top_logprobs: 5 }, 'invalid_value', 'top_logprobs'],
  ['top_logprobs 21', { logprobs: true, top_logprobs: 21 }, 'invalid_value', 'top_logprobs'],
  ['modalities', { modalities: ['text', 'audio'] }, 'unsupported_value', 'modalities'],
  ['audio', { audio: { voice: 'alloy' } }, 'unsupported_parameter', 'audio'],
  ['web_search_options', { web_search_options: {} }, 'unsupported_parameter', 'web_search_options'],
]

describe('is refused', () => {
  test.each(invalid)('%s', async (_name, fields, code, param) => {
    const response = await fixture.post(chatBody(fields))
    await expectRefused(fixture, response, { status: 400, code, param })
  })
})

const served: readonly [name: string, fields: object][] = [
  ['nothing asked for in its many forms', { tools: [], tool_choice: 'none', logit_bias: {}, n: 1 }],
  ['null for every default', { temperature: null, top_p: null, stop: null, n: null, seed: null }],
  ['tools', { tools: [tool], tool_choice: 'auto', parallel_tool_calls: false }],
  ['JSON asked for', { response_format: { type: 'json_object' } }],
  ['log probabilities', { logprobs: true, top_logprobs: 2 }],
  ['a bias', { logit_bias: { '5': -100 } }],
  ['text asked for', { response_format: { type: 'text' }, modalities: ['text'] }],
  ['fields that only others know', { usage: { cost: 0 }, account_id: 'acct_x', price: 0, foo: 1 }],
  ['private knobs of runtimes', { grammar: 'root ::= "a"', cache_prompt: true, id_slot: 1 }],
  ['fields that change nothing', { store: true, user: 'u', service_tier: 'auto', prediction: {} }],
  ['a seed below zero', { seed: -1 }],
  ['a seed of 64 bits', { seed: 2 ** 63 }],
  ['assistant null', { messages: [{ role: 'assistant', content: null }, ...user('a').messages] }],
]

describe('is served', () => {
  test.each(served)('%s', async (_name, fields) => {
    const response = await fixture.post(chatBody(fields))
    expect(response.status, await response.text()).toBe(200)
    expect(fixture.ledger.debits().length).toBe(1)
    fixture.ledger.entries.clear()
  })

  test('and nothing that is not known reaches the worker', async () => {
    await fixture.post(chatBody({ grammar: 'x', n_predict: 9, id_slot: 3, seed: -1, stop: 'END' }))
    expect(Object.keys(fixture.worker.runs.at(-1)?.request ?? {}).sort()).toEqual([
      'fingerprint',
      'logitBias',
      'maxOutputTokens',
      'plan',
      'requestId',
      'sampling',
      'stop',
      'tenant',
      'thinking',
      'timeLimitMs',
      'tokens',
      'topLogprobs',
      'weight',
    ])
    expect(fixture.worker.runs.at(-1)?.request).toMatchObject({
      stop: ['END'],
      sampling: { temperature: 1, topP: 1, topK: 0, minP: 0, seed: 2 ** 32 - 1 },
    })
    fixture.ledger.entries.clear()
  })
})

describe('paths that are close to right', () => {
  test.each([
    ['//v1//chat/completions', '/v1.'],
    ['/V1/chat/completions', '/v1.'],
    ['/.env', '/v1.'],
    ['/metrics', '/v1.'],
    // A client whose base URL is right already is not told it again.
    ['/v1/chat/completions/', '/docs.'],
    ['/v1/chat/completions;jsessionid=1', '/docs.'],
    ['/v1/completions', '/docs.'],
  ])('%s is 404 and names what helps: %s', async (path, tail) => {
    const response = await fixture.get(path)
    const text = await response.clone().text()
    await expectRefused(fixture, response, { status: 404, code: 'unknown_url', param: null })
    expect(text).toContain(` http://127.0.0.1:${fixture.port}${tail}`)
  })

  test.each(['/chat/completions', '/v1/v1/chat/completions'])('%s is served', async (path) => {
    const response = await postTo(fixture, path, chatBody())
    expect(response.status, await response.text()).toBe(200)
    fixture.ledger.entries.clear()
  })

  test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s on responses is 405 and lists what works alone',
    async (method) => {
      const headers = { authorization: `Bearer ${fixture.ledger.secret}` }
      for (const prefix of ['/v1', '/pro/v1']) {
        const refused = await fetch(`${fixture.baseUrl}${prefix}/responses`, { method, headers })
        expect(refused.status).toBe(405)
        expect(refused.headers.get('allow')).toBe('POST')
      }
    },
  )

  test.each(['input_tokens', 'compact'])(
    'a wrong method on %s is 405 and lists also what responses of that name would take',
    async (name) => {
      const headers = { authorization: `Bearer ${fixture.ledger.secret}` }
      const refused = await fetch(`${fixture.baseUrl}/v1/responses/${name}`, {
        method: 'PUT',
        headers,
      })
      expect(refused.status).toBe(405)
      expect(refused.headers.get('allow')).toBe('DELETE, GET, HEAD, POST')
    },
  )

  test('a wrong method is 405 and lists the right ones', async () => {
    const response = await fixture.get('/v1/chat/completions')
    expect(response.headers.get('allow')).toBe('POST')
    expect(response.headers.get('x-should-retry')).toBe('false')
    await expectRefused(fixture, response, { status: 405, code: 'method_not_allowed' })
  })
})
