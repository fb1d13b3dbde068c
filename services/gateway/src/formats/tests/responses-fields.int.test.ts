/**
 * The fields that only a Responses request has: what is refused, and charges nothing, and what is
 * served. What all formats have is in bad-input.int.test.ts.
 */

import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postTo } from '../../../testing/format-requests.ts'
import { expectRefused } from '../../../testing/oracle.ts'

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway({ worker: { contextSize: 300 }, script: { tokens: 1 } })
})
afterAll(() => fixture[Symbol.asyncDispose]())

const post = (body: object, path = '/v1/responses') => postTo(fixture, path, body)
const responsesBody = (fields: object) => ({ model: 'svc-beta', input: 'hello there', ...fields })

const items = (...input: unknown[]) => ({ input })
const user = (content: unknown) => items({ role: 'user', content })
const tools = (...list: unknown[]) => ({ tools: list })
const lookup = { type: 'function', name: 'lookup', parameters: { type: 'object' } }
const image = { type: 'input_image', image_url: 'http://127.0.0.1:6379' }
const call = { type: 'function_call', call_id: 'call_1', name: 'lookup', arguments: '{}' }
const result = { type: 'function_call_output', call_id: 'call_1', output: 'x' }
const schema = (format: object) => ({ text: { format: { type: 'json_schema', ...format } } })

type Case = readonly [name: string, fields: object, code: string, param: string]

const values: readonly Case[] = [
  ['input null', { input: null }, 'missing_required_parameter', 'input'],
  ['input a number', { input: 7 }, 'invalid_value', 'input'],
  ['instructions a list', { instructions: ['a'] }, 'invalid_value', 'instructions'],
  ['presence_penalty 3', { presence_penalty: 3 }, 'invalid_value', 'presence_penalty'],
  ['top_logprobs 21', { top_logprobs: 21 }, 'invalid_value', 'top_logprobs'],
  ['include a text', { include: 'a' }, 'invalid_value', 'include'],
  ['store 1', { store: 1 }, 'invalid_value', 'store'],
  ['effort "very"', { reasoning: { effort: 'very' } }, 'invalid_value', 'reasoning.effort'],
  ['summary "long"', { reasoning: { summary: 'long' } }, 'invalid_value', 'reasoning.summary'],
  [
    'text.format unknown',
    { text: { format: { type: 'xml' } } },
    'invalid_value',
    'text.format.type',
  ],
  ['no schema name', schema({ schema: {} }), 'missing_required_parameter', 'text.format.name'],
  [
    'a schema name with a space',
    schema({ name: 'a b', schema: {} }),
    'invalid_value',
    'text.format.name',
  ],
]

const unsupported: readonly Case[] = [
  ['conversation', { conversation: 'conv_1' }, 'unsupported_parameter', 'conversation'],
  ['background', { background: true }, 'unsupported_value', 'background'],
  ['prompt', { prompt: { id: 'pmpt_1' } }, 'unsupported_parameter', 'prompt'],
  ['moderation', { moderation: {} }, 'unsupported_parameter', 'moderation'],
  ['access_programs', { access_programs: {} }, 'unsupported_parameter', 'access_programs'],
  ['truncation auto', { truncation: 'auto' }, 'unsupported_value', 'truncation'],
  [
    'a file',
    user([{ type: 'input_file', file_url: 'file:///etc/passwd' }]),
    'unsupported_value',
    'input[0].content[0]',
  ],
  [
    'an image in a result',
    items(call, { ...result, output: [image] }),
    'unsupported_value',
    'input[1].output[0]',
  ],
  ['an item of no known type', items({ type: 'hologram' }), 'unsupported_value', 'input[0].type'],
  [
    'a compaction to be made',
    items({ type: 'compaction_trigger' }),
    'unsupported_value',
    'input[0].type',
  ],
  [
    'a foreign compaction',
    items({ type: 'compaction', encrypted_content: 'gAAAA' }),
    'unsupported_value',
    'input[0].encrypted_content',
  ],
]

describe('is refused', () => {
  test.each([...values, ...unsupported])('%s', async (_name, fields, code, param) => {
    const response = await post(responsesBody(fields))
    await expectRefused(fixture, response, { status: 400, code, param })
  })

  test('and so it is by what counts', async () => {
    const response = await post(responsesBody(user([image])), '/v1/responses/input_tokens')
    const param = 'input[0].content[0]'
    await expectRefused(fixture, response, { status: 400, code: 'unsupported_value', param })
  })
})

const shell = { type: 'local_shell_call', call_id: 'call_shell', status: 'completed', action: {} }
const web = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: {} }
const served: readonly [name: string, fields: object][] = [
  [
    'nothing asked for in its many forms',
    { tools: [], include: [], text: {}, reasoning: {}, metadata: {} },
  ],
  [
    'null for every default',
    {
      tools: null,
      text: null,
      reasoning: null,
      top_p: null,
      store: null,
      include: null,
      prompt: null,
      background: null,
      truncation: null,
    },
  ],
  [
    'fields that only others know',
    { client_metadata: { a: 1 }, account_id: 'acct_x', price: 0, grammar: 'root ::= "a"' },
  ],
  [
    'fields that change nothing',
    {
      user: 'u',
      service_tier: 'flex',
      prompt_cache_key: 'k',
      max_tool_calls: 3,
      context_management: [{}],
      safety_identifier: 's',
    },
  ],
  [
    'an agent’s tools',
    {
      ...tools(lookup, { type: 'web_search' }, { type: 'custom', name: 'c' }),
      tool_choice: 'auto',
      parallel_tool_calls: true,
    },
  ],
  [
    'a choice of allowed tools',
    {
      ...tools(lookup),
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [{ type: 'function', name: 'lookup' }],
      },
    },
  ],
  [
    'a history of foreign items',
    items(
      { role: 'user', content: 'a' },
      web,
      { type: 'mcp_list_tools', id: 'm', tools: [] },
      { type: 'configuration_update' },
    ),
  ],
  [
    'ids that we never made',
    items({
      type: 'message',
      role: 'user',
      id: 'msg_x',
      content: [{ type: 'input_text', text: 'a' }],
    }),
  ],
  [
    'thoughts of another service',
    items(
      { role: 'user', content: 'a' },
      { type: 'reasoning', id: 'rs_1', summary: [], content: null, encrypted_content: 'gAAAAB' },
      { role: 'assistant', content: 'b', phase: 'final_answer' },
      { role: 'user', content: 'c' },
    ),
  ],
  [
    'thoughts that end a history',
    items(
      { role: 'user', content: 'a' },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'x' }] },
    ),
  ],
  [
    'a refusal in a history',
    items(
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
    ),
  ],
  [
    'a call with a list for a result',
    items(call, { ...result, output: [{ type: 'input_text', text: 'x' }] }),
  ],
  ['a call with no JSON in it', items({ ...call, arguments: '{"a":' }, result)],
  [
    'a call of the shell of another service, with its result',
    items(shell, { ...result, call_id: 'call_shell' }, { role: 'user', content: 'a' }),
  ],
  ['instructions alone', { instructions: 'be kind', input: [] }],
  [
    'tools that an item adds',
    items(
      { type: 'additional_tools', role: 'developer', tools: [lookup] },
      { role: 'user', content: 'a' },
    ),
  ],
]

describe('is served', () => {
  test.each(served)('%s', async (_name, fields) => {
    const response = await post(responsesBody(fields))
    expect(response.status, await response.text()).toBe(200)
    expect(fixture.ledger.debits().length).toBe(1)
    fixture.ledger.entries.clear()
  })

  test('with its labels given back, also when it is read again', async () => {
    const labels = { user: 'user-7', safety_identifier: 's', prompt_cache_key: 'k' }
    const made = (await (await post(responsesBody(labels))).json()) as { id: string }
    expect(made).toMatchObject(labels)
    const stored = await fixture.get(`/v1/responses/${made.id}`)
    expect(await stored.json()).toMatchObject(labels)
    fixture.ledger.entries.clear()
  })

  test('with one system message in front, wherever instructions stand', async () => {
    const input = [
      { role: 'user', content: 'a' },
      { role: 'developer', content: 'b' },
      { role: 'system', content: [{ type: 'input_text', text: 'c' }] },
      { role: 'user', content: 'd' },
    ]
    const response = await post(responsesBody({ instructions: 'be kind', input, store: false }))
    expect(response.status, await response.text()).toBe(200)
    expect(fixture.worker.prepared.at(-1)?.messages).toEqual([
      { role: 'system', content: 'be kind\n\nb\n\nc' },
      { role: 'user', content: 'a\n\nd' },
    ])
    fixture.ledger.entries.clear()
  })
})
