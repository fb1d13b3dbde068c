/**
 * What clients of other servers complain of, each a test that is named by its number. These are the
 * ones that need the whole HTTP server and no model; the others:
 *
 *     1   also formats/messages/parse.test.ts, and with the real template complaints.e2e.test.ts
 *     2   responses.int.test.ts
 *     3   responses.int.test.ts
 *     4   formats/messages/parse.test.ts; with the real cache tests/spec/complaints.e2e.test.ts
 *     6   formats/messages/stream.test.ts; with the real model complaints.e2e.test.ts
 *     7   complaints.e2e.test.ts; the same input in all formats: three-formats.e2e.test.ts
 *     9   tests/spec/schemas.e2e.test.ts
 *     10  disconnect.int.test.ts, in all formats; with the real worker client-gone.e2e.test.ts
 *     11  streams.int.test.ts, in all formats
 *     12  messages.int.test.ts; with the real template three-formats.e2e.test.ts
 *     13  streams.int.test.ts; with the helper of the official client responses-stream.int.test.ts
 *     15  also formats/messages/parse.test.ts
 *     +   tools of a server: formats/messages/parse.test.ts; the list of models by family:
 *         messages.int.test.ts; tools that a template drops: complaints.e2e.test.ts, and at the
 *         start services/worker/src/prompt/families/prompts.test.ts
 */

import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { plainScript } from '@svc/testing/scripted-worker'
import { wireFormats } from '@svc/testing/wire-formats'
import { chatFormat } from '@svc/testing/wire-formats/chat-format'
import { messagesFormat } from '@svc/testing/wire-formats/messages-format'
import { responsesFormat } from '@svc/testing/wire-formats/responses-format'
import type { WireFormat } from '@svc/testing/wire-formats/wire-format'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bodyOf, postTo } from '../../../testing/format-requests.ts'

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway()
})
beforeEach(() => {
  fixture.worker.script = plainScript
})
afterAll(() => fixture[Symbol.asyncDispose]())

async function ask(format: WireFormat, fields: object, headers: Record<string, string> = {}) {
  const response = await postTo(fixture, format.paths[0], bodyOf(format, fields), headers)
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return { response, text }
}
const prepared = () => fixture.worker.prepared.at(-1)

const user = (content: unknown = 'hi') => ({ role: 'user', content })
const instruction = (role: string) => ({ role, content: 'be brief' })

describe('complaint 1: instructions anywhere are one system message, in front', () => {
  test.each([
    ['chat', chatFormat, { messages: [user(), instruction('system'), user('b')] }],
    ['chat, developer', chatFormat, { messages: [user(), instruction('developer'), user('b')] }],
    ['responses', responsesFormat, { input: [user(), instruction('system'), user('b')] }],
    [
      'responses, developer',
      responsesFormat,
      { input: [user(), user('b'), instruction('developer')] },
    ],
    ['messages', messagesFormat, { messages: [user(), instruction('system'), user('b')] }],
  ])('%s', async (_name, format, fields) => {
    await ask(format, fields)
    expect(prepared()?.messages).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'hi\n\nb' },
    ])
  })
})

describe('complaint 5: what a client knows and we do not is no error', () => {
  const tool = { name: 'f', input_schema: { type: 'object' } }

  test.each([
    [
      'context_management',
      { context_management: { edits: [{ type: 'clear_thinking_20251015' }] } },
    ],
    ['defer_loading', { tools: [tool, { ...tool, name: 'g', defer_loading: true }] }],
    ['input_examples', { tools: [{ ...tool, input_examples: [{ a: 1 }] }] }],
    ['eager_input_streaming', { tools: [{ ...tool, eager_input_streaming: true }] }],
    [
      'cache_control',
      {
        cache_control: { type: 'ephemeral' },
        system: [{ type: 'text', text: 'a', cache_control: {} }],
      },
    ],
    ['metadata', { metadata: { user_id: '{"device_id":"x"}' } }],
  ])('%s', async (_name, fields) => {
    await ask(messagesFormat, fields, {
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'context-management-2025-06-27,never-heard-of-2030-01-01',
    })
  })
})

describe('complaint 8: two calls of one answer are told apart', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } } }
  const conversation = {
    turns: [{ kind: 'user', text: 'weather?' }] as const,
    tools: [{ name: 'look', description: 'Looks.', parameters: schema }],
  }
  const forced = {
    chat: { tool_choice: { type: 'function', function: { name: 'look' } } },
    responses: { tool_choice: { type: 'function', name: 'look' } },
    messages: { tool_choice: { type: 'tool', name: 'look' } },
  }
  const calls = [
    { name: 'look', input: { city: 'Oslo' } },
    { name: 'look', input: { city: 'Rome' } },
  ]
  const ways = wireFormats.flatMap((format) => [
    { format, choice: 'auto', fields: {} },
    { format, choice: 'forced', fields: forced[format.name] },
  ])

  test.each(ways)('$format.name, $choice, streamed or not', async ({ format, fields }) => {
    const cities = ['Oslo', 'Rome']
    const events = cities.flatMap((city) => [
      { call: 'look' },
      { arguments: '{"city":' },
      { arguments: `"${city}"}` },
    ])
    fixture.worker.script = { ...plainScript, events }
    const path = format.paths[0]
    const whole = await (await postTo(fixture, path, format.body(conversation, fields))).text()
    const asked = format.body(conversation, { ...fields, ...format.streamFields })
    const streamed = await (await postTo(fixture, path, asked)).text()
    const answers = [format.readAnswer(JSON.parse(whole)), format.readStream(streamed)]
    for (const answer of answers) {
      expect(answer.calls).toEqual(calls)
      expect(answer.stop).toBe(format.stops.call)
    }
    for (const text of [whole, streamed]) {
      const ids = new Set(text.match(/"(?:call|toolu)_[0-9a-z]+_\d"/g))
      expect(ids.size).toBe(2)
    }
  })
})

describe('complaint 14: a turn of nothing but calls, and results of any shape', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }
  const called = { role: 'assistant', tool_calls: [call] }
  const result = { role: 'tool', tool_call_id: 'c1', content: 'x' }
  const item = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'c1' }
  const used = {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'c1', name: 'f', input: {} }],
  }
  const answered = (content: object) =>
    user([{ type: 'tool_result', tool_use_id: 'c1', ...content }])
  const part = (type: string) => [{ type, text: 'x' }]

  test.each([
    ['chat, null', chatFormat, { messages: [user(), { ...called, content: null }, result] }, 'x'],
    ['chat, empty', chatFormat, { messages: [user(), { ...called, content: '' }, result] }, 'x'],
    ['chat, absent', chatFormat, { messages: [user(), called, result] }, 'x'],
    [
      'chat, a list',
      chatFormat,
      { messages: [user(), called, { ...result, content: part('text') }] },
      'x',
    ],
    [
      'responses, text',
      responsesFormat,
      { input: [user(), item, { ...output, output: 'x' }] },
      'x',
    ],
    [
      'responses, a list',
      responsesFormat,
      { input: [user(), item, { ...output, output: part('input_text') }] },
      'x',
    ],
    [
      'messages, text',
      messagesFormat,
      { messages: [user(), used, answered({ content: 'x' })] },
      'x',
    ],
    [
      'messages, a list',
      messagesFormat,
      { messages: [user(), used, answered({ content: part('text') })] },
      'x',
    ],
    ['messages, absent', messagesFormat, { messages: [user(), used, answered({})] }, ''],
  ])('%s', async (_name, format, fields, content) => {
    await ask(format, fields)
    expect(prepared()?.messages.slice(1)).toEqual([
      { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'f', arguments: '{}' }] },
      { role: 'tool', content, toolCallId: 'c1', name: 'f' },
    ])
  })
})

describe('complaint 15: thoughts of whatever origin are taken back', () => {
  const thought = (fields: object) => ({
    messages: [
      user(),
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', ...fields },
          { type: 'text', text: 'a' },
        ],
      },
      user('b'),
    ],
  })
  const reasoning = (fields: object) => ({
    input: [
      user(),
      { type: 'reasoning', ...fields },
      { role: 'assistant', content: 'a' },
      user('b'),
    ],
  })
  const summary = [{ type: 'summary_text', text: 'hm' }]

  test.each([
    ['messages, a foreign signature', messagesFormat, thought({ signature: 'EqQBCkgIAxABGAIi' })],
    ['messages, an empty signature', messagesFormat, thought({ signature: '' })],
    ['messages, no signature', messagesFormat, thought({})],
    [
      'messages, redacted',
      messagesFormat,
      {
        messages: [
          user(),
          { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'x' }] },
          user('b'),
        ],
      },
    ],
    ['responses, plain', responsesFormat, reasoning({ id: 'rs_1', summary })],
    [
      'responses, encrypted by another',
      responsesFormat,
      reasoning({ summary: [], encrypted_content: 'gAAAA' }),
    ],
    [
      'responses, encrypted_content null',
      responsesFormat,
      reasoning({ summary, encrypted_content: null }),
    ],
    [
      'chat, reasoning_content',
      chatFormat,
      {
        messages: [user(), { role: 'assistant', content: 'a', reasoning_content: 'hm' }, user('b')],
      },
    ],
  ])('%s', async (_name, format, fields) => {
    await ask(format, fields)
    expect(prepared()?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })
})
