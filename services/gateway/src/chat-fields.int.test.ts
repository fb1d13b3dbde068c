/** Every field of a chat request, wrong: status, code and param, and nothing charged. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chatBody, type GatewayFixture, startGateway } from './testing/gateway-fixture.ts'
import { expectRefused } from './testing/oracle.ts'

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway({ worker: { contextSize: 100 }, script: { tokens: 1 } })
})
afterAll(() => fixture[Symbol.asyncDispose]())

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })
const image = { type: 'image_url', image_url: { url: 'http://127.0.0.1:6379' } }
const tool = { type: 'function', function: { name: 'f', parameters: {} } }

type Case = readonly [name: string, fields: object, code: string, param: string]

const invalid: readonly Case[] = [
  ['model is a list', { model: ['svc-beta'] }, 'invalid_value', 'model'],
  ['model is an object', { model: {} }, 'invalid_value', 'model'],
  ['model is null', { model: null }, 'invalid_value', 'model'],
  ['model is missing', { model: undefined }, 'missing_required_parameter', 'model'],
  ['model is unknown', { model: 'gpt-4' }, 'model_not_found', 'model'],
  ['model is a path', { model: '../../etc/passwd' }, 'model_not_found', 'model'],
  ['model is a URL', { model: 'http://169.254.169.254/' }, 'model_not_found', 'model'],
  ['model is 10 KB', { model: 'a'.repeat(10_000) }, 'model_not_found', 'model'],
  ['messages is missing', { messages: undefined }, 'missing_required_parameter', 'messages'],
  ['messages is an object', { messages: {} }, 'invalid_value', 'messages'],
  ['messages is empty', { messages: [] }, 'invalid_value', 'messages'],
  [
    'too many messages',
    { messages: Array(1_025).fill({ role: 'user', content: '' }) },
    'invalid_value',
    'messages',
  ],
  ['a message is text', { messages: ['hi'] }, 'invalid_value', 'messages[0]'],
  [
    'role admin',
    { messages: [{ role: 'admin', content: 'a' }] },
    'invalid_value',
    'messages[0].role',
  ],
  ['role 7', { messages: [{ role: 7, content: 'a' }] }, 'invalid_value', 'messages[0].role'],
  ['no role', { messages: [{ content: 'a' }] }, 'missing_required_parameter', 'messages[0].role'],
  ['content null', user(null), 'invalid_value', 'messages[0].content'],
  ['content a number', user(7), 'invalid_value', 'messages[0].content'],
  ['content an object', user({}), 'invalid_value', 'messages[0].content'],
  ['content too large', user('a'.repeat(256 * 1024 + 1)), 'invalid_value', 'messages[0].content'],
  ['an empty list of parts', user([]), 'invalid_value', 'messages[0].content'],
  ['an image', user([image]), 'unsupported_value', 'messages[0].content[0]'],
  [
    'audio behind text',
    user([{ type: 'text', text: 'a' }, { type: 'input_audio' }]),
    'unsupported_value',
    'messages[0].content[1]',
  ],
  ['a file', user([{ type: 'file' }]), 'unsupported_value', 'messages[0].content[0]'],
  [
    'a text part without text',
    user([{ type: 'text' }]),
    'missing_required_parameter',
    'messages[0].content[0].text',
  ],
  [
    'role tool',
    { messages: [{ role: 'tool', content: 'a', tool_call_id: 'b' }] },
    'unsupported_value',
    'messages[0].role',
  ],
  [
    'tool calls in the history',
    { messages: [{ role: 'assistant', content: null, tool_calls: [{ id: 'a' }] }] },
    'unsupported_value',
    'messages[0].tool_calls',
  ],
  ...[0, -1, 1.5, '16', [16], true, 2 ** 53].map(
    (value): Case => [`max_tokens ${value}`, { max_tokens: value }, 'invalid_value', 'max_tokens'],
  ),
  ['max_tokens 2^31', { max_tokens: 2 ** 31 }, 'context_length_exceeded', 'max_tokens'],
  [
    'max_completion_tokens above the context',
    { max_completion_tokens: 98 },
    'context_length_exceeded',
    'max_completion_tokens',
  ],
  ['a prompt of the whole context', user('a'.repeat(400)), 'context_length_exceeded', 'messages'],
  ['a prompt above the context', user('a'.repeat(4_000)), 'context_length_exceeded', 'messages'],
  ['temperature -1', { temperature: -1 }, 'invalid_value', 'temperature'],
  ['temperature 2.1', { temperature: 2.1 }, 'invalid_value', 'temperature'],
  ['temperature "1"', { temperature: '1' }, 'invalid_value', 'temperature'],
  ['top_p 1.1', { top_p: 1.1 }, 'invalid_value', 'top_p'],
  ['presence_penalty 3', { presence_penalty: 3 }, 'invalid_value', 'presence_penalty'],
  ['n 0', { n: 0 }, 'unsupported_value', 'n'],
  ['n 2', { n: 2 }, 'unsupported_value', 'n'],
  ['n 10^6', { n: 1_000_000 }, 'unsupported_value', 'n'],
  ['stop of 5', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'invalid_value', 'stop'],
  ['stop empty', { stop: '' }, 'invalid_value', 'stop'],
  ['stop of 65 characters', { stop: 'a'.repeat(65) }, 'invalid_value', 'stop'],
  ['stop a list in a list', { stop: [['a']] }, 'invalid_value', 'stop[0]'],
  ['seed 2^64', { seed: 2 ** 64 }, 'invalid_value', 'seed'],
  ['seed "a"', { seed: 'a' }, 'invalid_value', 'seed'],
  ['stream "true"', { stream: 'true' }, 'invalid_value', 'stream'],
  ['stream 1', { stream: 1 }, 'invalid_value', 'stream'],
  [
    'stream_options without stream',
    { stream_options: { include_usage: true } },
    'invalid_value',
    'stream_options',
  ],
  [
    '17 pairs of metadata',
    { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v'])) },
    'invalid_value',
    'metadata',
  ],
  ['metadata in metadata', { metadata: { a: { b: 'c' } } }, 'invalid_value', 'metadata.a'],
  ['reasoning_effort "very"', { reasoning_effort: 'very' }, 'invalid_value', 'reasoning_effort'],
  ['tools', { tools: [tool] }, 'unsupported_parameter', 'tools'],
  ['tool_choice', { tool_choice: 'required' }, 'unsupported_value', 'tool_choice'],
  ['functions', { functions: [{ name: 'f' }] }, 'unsupported_parameter', 'functions'],
  [
    'response_format json_object',
    { response_format: { type: 'json_object' } },
    'unsupported_value',
    'response_format',
  ],
  ['logprobs', { logprobs: true }, 'unsupported_parameter', 'logprobs'],
  ['top_logprobs', { top_logprobs: 5 }, 'unsupported_parameter', 'top_logprobs'],
  ['logit_bias', { logit_bias: { '50256': -100 } }, 'unsupported_parameter', 'logit_bias'],
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
  ['the last token of the context', { ...user('a'.repeat(396)), max_tokens: 1 }],
  ['nothing asked for in its many forms', { tools: [], tool_choice: 'none', logit_bias: {}, n: 1 }],
  ['null for every default', { temperature: null, top_p: null, stop: null, n: null, seed: null }],
  ['text asked for', { response_format: { type: 'text' }, modalities: ['text'] }],
  ['fields that only others know', { usage: { cost: 0 }, account_id: 'acct_x', price: 0, foo: 1 }],
  ['private knobs of runtimes', { grammar: 'root ::= "a"', cache_prompt: true, id_slot: 1 }],
  ['fields that change nothing', { store: true, user: 'u', service_tier: 'auto', prediction: {} }],
  ['top_p 0', { top_p: 0 }],
  ['a seed below zero', { seed: -1 }],
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
      'maxOutputTokens',
      'requestId',
      'sampling',
      'stop',
      'tenant',
      'thinking',
      'timeLimitMs',
      'tokens',
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
    '/chat/completions',
    '/v1/v1/chat/completions',
    '//v1//chat/completions',
    '/v1/chat/completions/',
    '/V1/chat/completions',
    '/v1/chat/completions;jsessionid=1',
    '/v1/completions',
    '/.env',
    '/metrics',
  ])('%s is 404 and names the base URL', async (path) => {
    const response = await fixture.get(path)
    const text = await response.clone().text()
    await expectRefused(fixture, response, { status: 404, code: 'unknown_url', param: null })
    expect(text).toContain(`http://127.0.0.1:${fixture.port}/v1`)
  })

  test('a wrong method is 405 and lists the right ones', async () => {
    const response = await fixture.get('/v1/chat/completions')
    expect(response.headers.get('allow')).toBe('POST')
    expect(response.headers.get('x-should-retry')).toBe('false')
    await expectRefused(fixture, response, { status: 405, code: 'method_not_allowed' })
  })
})
