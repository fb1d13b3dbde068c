/**
 * What a response gives back of its request, and what is stored of it: what was understood, with a
 * bound, and nothing else that the caller put beside it.
 */

import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postTo } from '../../../testing/format-requests.ts'

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway({ worker: { contextSize: 300 }, script: { tokens: 1 } })
})
afterAll(() => fixture[Symbol.asyncDispose]())

const ballast = 'x'.repeat(300_000)
const post = (fields: object) =>
  postTo(fixture, '/v1/responses', { model: 'svc-beta', input: 'hi', ...fields })
const made = async (fields: object) => {
  const response = await post(fields)
  const text = await response.text()
  expect(response.status, text.slice(0, 300)).toBe(200)
  return JSON.parse(text) as { id: string; tool_choice: unknown; tools: unknown }
}

const parameters = { type: 'object', properties: {} }
const lookup = { type: 'function', name: 'lookup', parameters }
const patch = { type: 'custom', name: 'patch' }
const group = { type: 'namespace', name: 'group', tools: [lookup] }
const search = { type: 'web_search', note: ballast }
const tools = [lookup, patch, group, search]

describe('a choice of tools', () => {
  const named = { type: 'function', name: 'lookup', namespace: 'group' }

  test.each([
    ['a function', { ...named, note: ballast }, named],
    ['a custom tool', { ...patch, note: ballast }, patch],
    [
      'a list',
      { type: 'allowed_tools', mode: 'auto', tools: [{ ...named, note: ballast }, patch, search] },
      { type: 'allowed_tools', mode: 'auto', tools: [named, patch] },
    ],
    [
      'a list of what the server would run',
      { type: 'allowed_tools', mode: 'auto', tools: [search] },
      { type: 'allowed_tools', mode: 'auto', tools: [] },
    ],
  ])('is given back as it was understood, and taken back: %s', async (_what, choice, shown) => {
    const given = await made({ tools, tool_choice: choice })
    expect(given.tool_choice).toEqual(shown)
    const again = await made({ tools: given.tools, tool_choice: given.tool_choice })
    expect(again).toMatchObject({ tools: given.tools, tool_choice: shown })
  })
})

test.each([
  { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
  { type: 'text', syntax: null, definition: null },
])('a format is given back whole, as the clients declare it: %j', async (format) => {
  const answer = await made({ tools: [{ ...patch, format }] })
  expect(answer.tools).toEqual([{ ...patch, description: '', format }])
})

test('tools that an item adds are stored as they were understood', async () => {
  const added = [{ ...lookup, note: ballast }, patch, { ...group, tools: [lookup, search] }, search]
  const { id } = await made({
    input: [
      { type: 'additional_tools', role: 'developer', tools: added, note: ballast },
      { role: 'user', content: 'hi' },
    ],
  })
  const page = await fixture.get(`/v1/responses/${id}/input_items?order=asc`)
  const { data } = (await page.json()) as { data: readonly unknown[] }
  const understood = { ...lookup, description: null, strict: null }
  const left = { type: 'web_search' }
  expect(data[0]).toEqual({
    id: expect.any(String),
    type: 'additional_tools',
    role: 'developer',
    tools: [
      understood,
      { ...patch, description: '' },
      { ...group, description: '', tools: [understood, left] },
      left,
    ],
  })
})

test.each([
  [
    'text.format.description',
    { text: { format: { type: 'json_schema', name: 'a', schema: {}, description: ballast } } },
  ],
  ['tools[0].description', { tools: [{ ...lookup, description: ballast }] }],
  ['tools[0].description', { tools: [{ ...patch, description: ballast }] }],
  ['tools[0].description', { tools: [{ ...group, tools: [], description: ballast }] }],
  ['tools[0].format.type', { tools: [{ ...patch, format: { type: ballast } }] }],
  [
    'tools[0].format.definition',
    { tools: [{ ...patch, format: { type: 'grammar', definition: ballast } }] },
  ],
])('a text that would be given back has a bound: %s', async (param, fields) => {
  const response = await post(fields)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { code: 'invalid_value', param } })
})
