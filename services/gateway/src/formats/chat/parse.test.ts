import { describe, expect, test } from 'vitest'
import { parseChatRequest } from './parse.ts'

const parse = (fields: object) =>
  parseChatRequest({
    model: 'svc-beta',
    messages: [{ role: 'user', content: 'hi' }],
    ...fields,
  }).request

test('what is not said has the defaults of the format', () => {
  expect(parse({})).toEqual({
    model: 'svc-beta',
    messages: [{ role: 'user', content: 'hi' }],
    thinking: { enabled: false, effort: 'low', budgetTokens: 0 },
    toolUse: null,
    outputFormat: { type: 'text' },
    maxOutputTokens: null,
    sampling: {
      temperature: 1,
      topP: 1,
      topK: 0,
      minP: 0,
      seed: null,
      frequencyPenalty: 0,
      presencePenalty: 0,
      repetitionPenalty: 1,
    },
    logitBias: [],
    topLogprobs: null,
    stop: [],
    stream: false,
    fieldNames: expect.objectContaining({ messages: 'messages', maxOutputTokens: 'max_tokens' }),
  })
})

test.each(['svc-beta', 'svc-pro', 'svc-4'])('%s means the one model', (model) => {
  expect(parse({ model }).model).toBe('svc-beta')
})

test.each([
  [undefined, false],
  [null, false],
  ['none', false],
  ['minimal', false],
  ['low', true],
  ['medium', true],
  ['high', true],
  ['xhigh', true],
  ['max', true],
])('reasoning_effort %s: thinking %s', (effort, thinking) => {
  expect(parse({ reasoning_effort: effort }).thinking.enabled).toBe(thinking)
})

test('max_completion_tokens wins over max_tokens', () => {
  expect(parse({ max_completion_tokens: 5, max_tokens: 9 })).toMatchObject({
    maxOutputTokens: 5,
    fieldNames: { maxOutputTokens: 'max_completion_tokens' },
  })
})

test.each([
  ['END', ['END']],
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [null, []],
])('stop %j is %j', (stop, texts) => {
  expect(parse({ stop }).stop).toEqual(texts)
})

test.each([
  ['7', 7],
  ['-1', 2 ** 32 - 1],
  ['9007199254740991', 2 ** 32 - 1],
  ['1234567890123456789', 2112454912],
  ['4611686018427388928', 1_024],
  ['9223372036854775807', 0],
  ['-9223372036854775808', 0],
])('the seed %s is one of 32 bits, the same each time', (text, seed) => {
  expect(parse(JSON.parse(`{"seed":${text}}`)).sampling.seed).toBe(seed)
})

describe('the conversation', () => {
  test('has one system message, in front, wherever the instructions stood', () => {
    const { messages } = parse({
      messages: [
        { role: 'user', content: 'one' },
        { role: 'system', content: 'be brief' },
        { role: 'assistant', content: 'two' },
        { role: 'developer', content: [{ type: 'text', text: 'be kind' }] },
        { role: 'user', content: 'three' },
      ],
    })
    expect(messages).toEqual([
      { role: 'system', content: 'be brief\n\nbe kind' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'three' },
    ])
  })

  test.each([
    ['null', { content: null }, ''],
    ['absent', {}, ''],
    ['empty tool calls', { content: 'a', tool_calls: [] }, 'a'],
    ['a refusal', { content: null, refusal: 'no' }, 'no'],
    ['a part that refuses', { content: [{ type: 'refusal', refusal: 'no' }] }, 'no'],
  ])('takes an assistant turn with %s', (_name, fields, content) => {
    const { messages } = parse({ messages: [{ role: 'assistant', ...fields }] })
    expect(messages).toEqual([{ role: 'assistant', content }])
  })

  test('joins the parts of a message as they are', () => {
    const content = [
      { type: 'text', text: 'a ' },
      { type: 'text', text: 'b' },
    ]
    expect(parse({ messages: [{ role: 'user', content }] }).messages[0]?.content).toBe('a b')
  })
})

describe('tools', () => {
  const tool = (name: string) => ({ type: 'function', function: { name } })
  const tools = [tool('a'), tool('b')]
  const allowed = (mode: string) => ({
    type: 'allowed_tools',
    allowed_tools: { mode, tools: [tool('b')] },
  })

  test.each([
    ['auto', undefined, 'auto', null],
    ['none', 'none', 'none', null],
    ['required', 'required', 'required', null],
    ['a named one', tool('b'), 'required', ['b']],
    ['some of them', allowed('auto'), 'auto', ['b']],
    ['one of some', allowed('required'), 'required', ['b']],
  ])('%s', (_name, tool_choice, choice, callable) => {
    const { toolUse } = parse({ tools, tool_choice, parallel_tool_calls: false })
    expect(toolUse).toMatchObject({ choice, callable, parallel: false })
    expect(toolUse?.tools.map(({ name }) => name)).toEqual(['a', 'b'])
  })

  test('may be called side by side unless that is refused', () => {
    expect(parse({ tools }).toolUse?.parallel).toBe(true)
  })

  test('in the history are turns with calls and results', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'a', arguments: '{"x":' } }
    const history = [
      { role: 'user', content: 'look' },
      { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'seen' }] },
    ]
    expect(parse({ messages: history }).messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: '',
        reasoning: 'hm',
        toolCalls: [{ id: 'call_1', name: 'a', arguments: '{"x":' }],
      },
      { role: 'tool', content: 'seen', toolCallId: 'call_1', name: 'a' },
    ])
  })
})

test.each([
  [undefined, { type: 'text' }],
  [{ type: 'text' }, { type: 'text' }],
  [{ type: 'json_object' }, { type: 'json' }],
  [
    { type: 'json_schema', json_schema: { name: 'n', strict: true, schema: { type: 'array' } } },
    { type: 'json_schema', schema: { type: 'array' } },
  ],
])('response_format %j', (response_format, format) => {
  expect(parse({ response_format }).outputFormat).toEqual(format)
})

test('log probabilities and biases are handed on', () => {
  expect(parse({}).topLogprobs).toBeNull()
  expect(parse({ logprobs: true }).topLogprobs).toBe(0)
  expect(parse({ logprobs: true, top_logprobs: 5 }).topLogprobs).toBe(5)
  expect(parse({ logit_bias: { 17: -100, 3: 2.5 } }).logitBias).toEqual([
    [3, 2.5],
    [17, -100],
  ])
})

test('a message of an error never repeats a long value', () => {
  const model = 'x'.repeat(100_000)
  expect(() => parse({ model })).toThrow(/^.{0,200}$/)
})

test.each([
  [{ stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop', 'must have at most 4 entries, and has 5'],
  [{ stop: 5 }, 'stop', 'must be text or a list'],
  [{ stop: '' }, 'stop', 'must not be empty'],
  [{ stop: ['a', 5] }, 'stop[1]', 'must be text, not a number'],
])('%j is refused with the reason', (fields, param, reason) => {
  const refusal = { param, message: `Invalid value for '${param}': ${reason}.` }
  expect(() => parse(fields)).toThrow(expect.objectContaining(refusal))
})
