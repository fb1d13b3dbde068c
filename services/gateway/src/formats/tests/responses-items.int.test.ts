/**
 * The items and tools of a Responses request, wrong: status, code and param, nothing charged. What
 * all formats have is in bad-input.int.test.ts.
 */

import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { afterAll, beforeAll, describe, test } from 'vitest'
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
const tools = (...list: unknown[]) => ({ tools: list })
const lookup = { type: 'function', name: 'lookup', parameters: { type: 'object' } }
const call = { type: 'function_call', call_id: 'call_1', name: 'lookup', arguments: '{}' }
const result = { type: 'function_call_output', call_id: 'call_1', output: 'x' }

type Case = readonly [name: string, fields: object, code: string, param: string]

const conversation: readonly Case[] = [
  ['an item with a number for a type', items({ type: 7 }), 'invalid_value', 'input[0].type'],
  ['an item with nothing', items({}), 'missing_required_parameter', 'input[0].type'],
  ['content missing', items({ role: 'user' }), 'missing_required_parameter', 'input[0].content'],
  ['a result before its call', items(result, call), 'invalid_value', 'input[0].call_id'],
  ['two results of a call', items(call, result, result), 'invalid_value', 'input[2].call_id'],
  [
    'a result without a call id',
    items(call, { ...result, call_id: undefined }),
    'missing_required_parameter',
    'input[1].call_id',
  ],
  [
    'a call without a name',
    items({ ...call, name: undefined }),
    'missing_required_parameter',
    'input[0].name',
  ],
  [
    'arguments that are an object',
    items({ ...call, arguments: {} }),
    'invalid_value',
    'input[0].arguments',
  ],
  [
    'a reference to nothing',
    items({ type: 'item_reference', id: 'msg_1' }),
    'invalid_value',
    'input[0].id',
  ],
  ['a reference without a type', items({ id: 'rs_1' }), 'invalid_value', 'input[0].id'],
  [
    'a reference to what was never stored',
    items({ id: `msg_${'0'.repeat(26)}_0` }),
    'invalid_value',
    'input[0].id',
  ],
  [
    'a response before that is unknown',
    { previous_response_id: 'resp_1' },
    'previous_response_not_found',
    'previous_response_id',
  ],
]

const toolCases: readonly Case[] = [
  ['tools an object', { tools: {} }, 'invalid_value', 'tools'],
  ['a tool that is a text', tools('a'), 'invalid_value', 'tools[0]'],
  ['a tool without a type', tools({ name: 'a' }), 'missing_required_parameter', 'tools[0].type'],
  [
    'a tool without a name',
    tools({ type: 'function' }),
    'missing_required_parameter',
    'tools[0].name',
  ],
  [
    'a bad tool in a group',
    tools({ type: 'namespace', name: 'g', description: '', tools: [{ type: 'function' }] }),
    'missing_required_parameter',
    'tools[0].tools[0].name',
  ],
  ...['function', 'custom'].map(
    (type): Case => [
      `a ${type} tool in a group, with an empty name`,
      tools({ type: 'namespace', name: 'g', description: '', tools: [{ type, name: '' }] }),
      'invalid_value',
      'tools[0].tools[0].name',
    ],
  ),
  [
    'parameters a list',
    tools({ ...lookup, parameters: [] }),
    'invalid_value',
    'tools[0].parameters',
  ],
  ['required without tools', { tool_choice: 'required' }, 'invalid_value', 'tool_choice'],
  [
    'required with tools that cannot run',
    { ...tools({ type: 'web_search' }), tool_choice: 'required' },
    'invalid_value',
    'tool_choice',
  ],
  [
    'a tool that cannot run, forced',
    { ...tools({ type: 'web_search' }), tool_choice: { type: 'web_search' } },
    'unsupported_value',
    'tool_choice',
  ],
  [
    'a custom tool that is a function',
    { ...tools(lookup), tool_choice: { type: 'custom', name: 'lookup' } },
    'invalid_value',
    'tool_choice.name',
  ],
  ['a choice that is a number', { tool_choice: 7 }, 'invalid_value', 'tool_choice'],
  ['a choice "any"', { tool_choice: 'any' }, 'invalid_value', 'tool_choice'],
  [
    'an allowed tool that is none',
    {
      ...tools(lookup),
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [{ type: 'function', name: 'b' }],
      },
    },
    'invalid_value',
    'tool_choice.tools[0].name',
  ],
  [
    'none allowed, one required',
    {
      ...tools(lookup),
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search' }] },
    },
    'invalid_value',
    'tool_choice.tools',
  ],
]

describe('is refused', () => {
  test.each([...conversation, ...toolCases])('%s', async (_name, fields, code, param) => {
    const response = await post(responsesBody(fields))
    await expectRefused(fixture, response, { status: 400, code, param })
  })
})
