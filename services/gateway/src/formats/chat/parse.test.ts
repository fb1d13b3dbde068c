import { describe, expect, test } from 'vitest'
import { parseChatRequest } from './parse.ts'

const parse = (fields: object) =>
  parseChatRequest({
    model: 'svc-beta',
    messages: [{ role: 'user', content: 'hi' }],
    ...fields,
  })

test('what is not said has the defaults of the format', () => {
  expect(parse({})).toEqual({
    model: 'svc-beta',
    messages: [{ role: 'user', content: 'hi' }],
    thinking: false,
    maxOutputTokens: null,
    maxOutputTokensParam: 'max_tokens',
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
    stop: [],
    stream: false,
    includeUsage: false,
    metadata: null,
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
  expect(parse({ reasoning_effort: effort }).thinking).toBe(thinking)
})

test('max_completion_tokens wins over max_tokens', () => {
  expect(parse({ max_completion_tokens: 5, max_tokens: 9 })).toMatchObject({
    maxOutputTokens: 5,
    maxOutputTokensParam: 'max_completion_tokens',
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

test('a message of an error never repeats a long value', () => {
  const model = 'x'.repeat(100_000)
  expect(() => parse({ model })).toThrow(/^.{0,200}$/)
})
