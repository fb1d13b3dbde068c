import type { ServiceError } from '@svc/contracts/errors'
import type { JsonObject } from '@svc/contracts/strict-json'
import { describe, expect, test } from 'vitest'
import { anthropicError } from '../anthropic-error.ts'
import { parseChatRequest } from '../chat/parse.ts'
import { parseCountRequest, parseMessagesRequest } from './parse.ts'

const hi = [{ role: 'user', content: 'hi' }]
const body = (fields: object = {}): JsonObject => ({
  model: 'svc-beta',
  max_tokens: 16,
  messages: hi,
  ...fields,
})
const parse = (fields: object = {}) => parseMessagesRequest(body(fields)).request
const conversation = (messages: object[], fields: object = {}) =>
  parse({ messages, ...fields }).messages
/** The place of what a tool has returned, as the vendor writes it. */
const RESULT = 'messages[0].content[0].tool_result.content'
const result = (block: unknown) => ({ type: 'tool_result', tool_use_id: 'x', content: [block] })
const refusal = (fields: object) => {
  try {
    parse(fields)
  } catch (error) {
    return error
  }
  return undefined
}

test('the same conversation is the same prompt as in the chat format', () => {
  const input_schema = { type: 'object', properties: { city: { type: 'string' } } }
  const messages = parse({
    system: 'be brief',
    messages: [
      { role: 'user', content: 'weather?' },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'c1', name: 'look', input: { city: 'Oslo' } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'rain' }] },
    ],
    tools: [{ name: 'look', description: 'looks', input_schema }],
    reasoning_effort: 'high',
  })
  const chat = parseChatRequest({
    model: 'svc-beta',
    messages: [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'weather?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"city":"Oslo"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'rain' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'look', description: 'looks', parameters: input_schema },
      },
    ],
    reasoning_effort: 'high',
  }).request
  for (const field of ['messages', 'toolUse', 'thinking', 'outputFormat', 'sampling'] as const) {
    expect(messages[field]).toEqual(chat[field])
  }
})

describe('the conversation', () => {
  test('complaint 1: takes system messages in any place', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'system', content: 'be kind' },
      { role: 'assistant', content: 'b' },
      ...hi,
    ]
    expect(conversation(messages, { system: [{ type: 'text', text: 'be brief' }] })).toEqual([
      { role: 'system', content: 'be brief\n\nbe kind' },
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      ...hi,
    ])
  })

  test('complaint 4: drops a billing line that leads the system prompt', () => {
    const line = (value: string) => [
      { type: 'text', text: `x-anthropic-billing-header: ${value}` },
      { type: 'text', text: 'be brief' },
    ]
    expect(parse({ system: line('1') })).toEqual(parse({ system: line('2') }))
    expect(parse({ system: line('1') }).messages[0]?.content).toBe('be brief')
  })

  test('puts results before the text of their turn, errors marked', () => {
    const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} })
    const messages = [
      { role: 'assistant', content: [use('1'), use('2'), use('3')] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'so?' },
          { type: 'tool_result', tool_use_id: '2', content: [{ type: 'text', text: 'b' }] },
          { type: 'tool_result', tool_use_id: '1', content: 'gone', is_error: true },
          { type: 'tool_result', tool_use_id: '3' },
        ],
      },
    ]
    expect(conversation(messages).slice(1)).toEqual([
      { role: 'tool', content: 'b', toolCallId: '2', name: 'look' },
      { role: 'tool', content: 'Error: gone', toolCallId: '1', name: 'look' },
      { role: 'tool', content: '', toolCallId: '3', name: 'look' },
      { role: 'user', content: 'so?' },
    ])
  })

  test('complaint 15: takes thinking back with any signature, or none', () => {
    const thinking = { type: 'thinking', thinking: 'hm' }
    const content = [
      { ...thinking, signature: 'of another' },
      { ...thinking, signature: '' },
      thinking,
      { type: 'redacted_thinking', data: 'x' },
      { type: 'text', text: 'a' },
    ]
    expect(conversation([{ role: 'assistant', content }, ...hi])).toEqual([
      { role: 'assistant', content: 'a', reasoning: 'hm\n\nhm\n\nhm' },
      ...hi,
    ])
  })

  describe('that ends with a turn of the assistant', () => {
    const begun = [...hi, { role: 'assistant', content: '{' }]
    const reminder = { role: 'system', content: 'be kind' }

    test.each([
      ['text', begun],
      ['a block', [...hi, { role: 'assistant', content: [{ type: 'text', text: '{' }] }]],
      ['instructions behind it', [...begun, reminder]],
    ])('is refused: %s', (_what, messages) => {
      expect(refusal({ messages })).toMatchObject({
        code: 'unsupported_value',
        message:
          'messages[1]: This model does not support assistant message prefill. ' +
          'The conversation must end with a user message.',
      })
    })

    test.each([[''], [[]], [[{ type: 'text', text: '' }]]])(
      'is answered when the turn begins nothing: %j',
      (content) => {
        const messages = [...hi, { role: 'assistant', content }]
        expect(conversation(messages)).toHaveLength(2)
      },
    )

    test('is counted', () => {
      expect(parseCountRequest(body({ messages: begun })).messages).toEqual(begun)
    })
  })

  test('of a system message, changes of tools are no text', () => {
    const tool = { type: 'tool_removal', tool: { type: 'tool_reference', name: 'a' } }
    const messages = [...hi, { role: 'system', content: [tool, { type: 'text', text: 'x' }] }]
    expect(conversation(messages)).toEqual([{ role: 'system', content: 'x' }, ...hi])
    expect(conversation([...hi, { role: 'system', content: [tool] }])).toEqual(hi)
  })

  test('reads documents, search results and tool references as text', () => {
    const content = [
      { type: 'document', title: 'T', source: { type: 'text', data: 'd' } },
      { type: 'search_result', source: 's', title: 'S', content: [{ type: 'text', text: 'r' }] },
    ]
    expect(conversation([{ role: 'user', content }])[0]?.content).toBe('T\nd\n\nS\nr')
  })

  test.each([
    ['an image', [{ type: 'image', source: {} }], 'messages[0].content[0].image'],
    ['an image by URL', [{ type: 'image', source: 'x' }], 'messages[0].content[0].image'],
    [
      'an image that a tool returned',
      [{ type: 'tool_result', tool_use_id: 'x', content: [{ type: 'image', source: {} }] }],
      'messages[0].content[0].tool_result.content[0].image',
    ],
    [
      'a PDF',
      [{ type: 'document', source: { type: 'base64', data: '' } }],
      'messages[0].content[0].document.source',
    ],
    [
      'a result of no call',
      [{ type: 'tool_result', tool_use_id: 'x' }],
      'messages[0].content[0].tool_use_id',
    ],
    ['a text block without text', [{ type: 'text' }], 'messages[0].content[0].text'],
    ['a result with null in it', [result(null)], `${RESULT}[0]`],
    ['a result of a block without a type', [result({ text: 'a' })], `${RESULT}[0].type`],
    [
      'a result of a text that is a number',
      [result({ type: 'text', text: 5 })],
      `${RESULT}[0].text`,
    ],
  ])('%s is refused, and its place is named', (_name, content, param) => {
    const error = refusal({ messages: [{ role: 'user', content }] })
    expect(error).toMatchObject({ param, entry: { status: 400 } })
    expect(anthropicError(error as ServiceError, null).error.message).toContain(param)
  })

  test.each([
    ['image', { type: 'image', source: {} }],
    ['document', { type: 'document', source: { type: 'base64', data: '' } }],
  ])('complaint of a lost session: Claude Code reads where the %s is', (kind, block) => {
    // What Claude Code 2.1 looks for before it sends the conversation again without the block.
    const outer = String.raw`messages[.[](\d+)[\].]+content[.[](\d+)[\].]+`
    const nested = String.raw`(?:tool_result[.[]content[.[]\d+[\].]+)?`
    const place = new RegExp(`${outer}${nested}(image|document|pdf)`)
    const result = { type: 'tool_result', tool_use_id: 'x', content: [block] }
    for (const each of [block, result]) {
      const content = [{ type: 'text', text: 'look' }, each]
      const error = refusal({ messages: [{ role: 'user', content }] }) as ServiceError
      const [, message, index, found] = place.exec(anthropicError(error, null).error.message) ?? []
      expect({ message, index, found }).toEqual({ message: '0', index: '1', found: kind })
    }
  })
})

describe('tools', () => {
  const tool = (name: string) => ({ name, input_schema: { type: 'object' } })
  const search = { type: 'web_search_20250305', name: 'web_search' }

  test.each([
    [{ type: 'auto' }, 'auto', null],
    [{ type: 'any' }, 'required', null],
    [{ type: 'tool', name: 'a' }, 'required', ['a']],
    [{ type: 'none' }, 'none', null],
  ])('%j', (tool_choice, choice, callable) => {
    const { toolUse } = parse({ tools: [tool('a'), tool('b')], tool_choice })
    expect(toolUse).toMatchObject({ choice, callable, parallel: true })
  })

  test('one at a time', () => {
    const tool_choice = { type: 'auto', disable_parallel_tool_use: true }
    expect(parse({ tools: [tool('a')], tool_choice }).toolUse?.parallel).toBe(false)
  })

  test('complaint of server tools: those of a vendor are left out, and told', () => {
    const parsed = parseMessagesRequest(body({ tools: [search, tool('a')] }))
    expect(parsed.request.toolUse?.tools.map(({ name }) => name)).toEqual(['a'])
    expect(parsed.droppedTools).toEqual(['web_search_20250305'])
  })

  test('of many left out, each type is told once, and no more than fit a header', () => {
    const types = Array.from({ length: 1_000 }, (_, index) => `server_${index}`.padEnd(64, 'x'))
    const others = types.map((type) => ({ type, name: 'other' }))
    const parsed = parseMessagesRequest(body({ tools: [tool('a'), search, search, ...others] }))
    expect(parsed.droppedTools).toEqual(['web_search_20250305', ...types.slice(0, 15)])
  })

  test.each([
    ['alone', { tools: [search] }, 'tools[0].type'],
    [
      'forced',
      { tools: [search, tool('a')], tool_choice: { type: 'tool', name: 'web_search' } },
      'tool_choice.name',
    ],
  ])('of a vendor, %s, are refused', (_name, fields, param) => {
    expect(refusal(fields)).toMatchObject({ code: 'unsupported_value', param })
  })

  test('complaint 5: take fields that only other services know', () => {
    const odd = { ...tool('a'), defer_loading: true, input_examples: [{}], cache_control: {} }
    const fields = { tools: [odd], context_management: { edits: [] }, betas: ['x'], speed: 'fast' }
    expect(parse(fields).toolUse?.tools).toHaveLength(1)
  })
})

describe('thinking', () => {
  const off = { enabled: false, effort: 'low', budgetTokens: 0 }
  test.each([
    ['nothing', {}, off],
    ['a level', { reasoning_effort: 'low' }, { enabled: true, effort: 'low', budgetTokens: 1_024 }],
    [
      'a budget',
      { thinking: { type: 'enabled', budget_tokens: 99 } },
      { enabled: true, effort: 'high', budgetTokens: 99 },
    ],
    ['off', { thinking: { type: 'disabled' }, output_config: { effort: 'high' } }, off],
    [
      'what the model sees fit',
      { thinking: { type: 'adaptive', display: 'omitted' } },
      { enabled: true, effort: 'medium', budgetTokens: 4_096 },
    ],
    [
      'an effort',
      { output_config: { effort: 'max' } },
      { enabled: true, effort: 'high', budgetTokens: null },
    ],
    [
      'a level, which wins',
      { reasoning_effort: 'none', thinking: { type: 'enabled', budget_tokens: 99 } },
      off,
    ],
  ])('%s', (_name, fields, thinking) => {
    expect(parse(fields).thinking).toEqual(thinking)
  })
})

test.each(['output_config', 'output_format'])('%s asks for JSON of a schema', (field) => {
  const format = { type: 'json_schema', schema: { type: 'object' } }
  const asked = parse({ [field]: field === 'output_config' ? { format } : format })
  expect(asked.outputFormat).toEqual(format)
  expect(asked.fieldNames.outputFormat).toMatch(new RegExp(`^${field}.*\\.schema$`))
})

test.each([null, 'container_1', {}, { id: 'container_1', skills: null }, { skills: [] }])(
  'a container without skills, %j, is left aside',
  (container) => {
    expect(parse({ container })).toEqual(parse({}))
  },
)

test('a count needs no max_tokens, and sees the same prompt', () => {
  const { max_tokens: _, ...counted } = body({ system: 'be brief' })
  expect(parseCountRequest(counted).messages).toEqual(parse({ system: 'be brief' }).messages)
})

test('a request that would only fill the cache is told what fills it', () => {
  expect(() => parse({ max_tokens: 0 })).toThrow('send max_tokens 1')
})

test('a count for another model says so before what else is missing', () => {
  const noSuchModel = expect.objectContaining({ code: 'model_not_found', param: 'model' })
  expect(() => parseCountRequest({ model: 'claude' })).toThrow(noSuchModel)
})

test.each([
  ['no max_tokens', { max_tokens: undefined }, 'missing_required_parameter', 'max_tokens'],
  ['max_tokens 0', { max_tokens: 0 }, 'invalid_value', 'max_tokens'],
  ['another model', { model: 'claude' }, 'model_not_found', 'model'],
  ['no messages', { messages: [] }, 'invalid_value', 'messages'],
  ['servers', { mcp_servers: [{}] }, 'unsupported_parameter', 'mcp_servers'],
  [
    'a skill',
    { container: { skills: [{ type: 'custom', skill_id: 'skill_x' }] } },
    'unsupported_parameter',
    'container.skills',
  ],
  ['a thread', { thread: { type: 'create' } }, 'unsupported_parameter', 'thread'],
  ['an unknown format', { output_format: { type: 'xml' } }, 'invalid_value', 'output_format'],
  ['temperature 1.5', { temperature: 1.5 }, 'invalid_value', 'temperature'],
])('%s is refused by its field', (_name, fields, code, param) => {
  expect(refusal(fields)).toMatchObject({ code, param })
})
