import { describe, expect, test } from 'vitest'
import { parseMessagesRequest } from './parse.ts'

const listed = (name: string, fields: object = {}) => ({ name, input_schema: {}, ...fields })
const reference = (name: string) => ({ type: 'tool_reference', name })
const defined = (definition: object) => ({ type: 'tool_definition', definition })
const add = (tool: object) => ({ type: 'tool_addition', tool })
const remove = (name: string) => ({ type: 'tool_removal', tool: reference(name) })

const mcp = { type: 'mcp_toolset_reference', server_name: 's' }

const parsed = (changes: readonly object[], fields: object = {}) =>
  parseMessagesRequest({
    model: 'svc-beta',
    max_tokens: 16,
    tools: [listed('a'), listed('b', { defer_loading: true })],
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'system', content: changes },
    ],
    ...fields,
  }).request.toolUse
const offered = (changes: readonly object[]) => parsed(changes)?.tools.map(({ name }) => name)

describe('the tools that are offered', () => {
  test.each([
    ['one that is listed and comes late', [add(reference('b'))], ['a', 'b']],
    ['one that a message defines', [add(defined(listed('c')))], ['a', 'b', 'c']],
    ['without one that was withdrawn', [remove('a')], ['b']],
    ['with one that came back', [remove('a'), add(reference('a'))], ['a', 'b']],
    [
      'with one that was defined, withdrawn and came back',
      [add(defined(listed('c'))), remove('c'), add(reference('c'))],
      ['a', 'b', 'c'],
    ],
    ['whatever is withdrawn that is not there', [remove('z')], ['a', 'b']],
    ['whatever of an MCP server is withdrawn', [{ type: 'tool_removal', tool: mcp }], ['a', 'b']],
    ['without one of a server', [add(defined({ type: 'web_search_1', name: 'w' }))], ['a', 'b']],
  ])('%s', (_what, changes, names) => {
    expect(offered(changes)).toEqual(names)
  })

  test('none when all were withdrawn', () => {
    expect(parsed([remove('a'), remove('b')])).toBeNull()
  })

  test('a definition takes the place of a tool of its name', () => {
    const again = listed('a', { description: 'new' })
    expect(parsed([add(defined(again))])?.tools.at(-1)).toMatchObject({ description: 'new' })
  })
})

test.each([
  [add(reference('z')), 'references "z"'],
  [add(defined({ name: 'c' })), 'content[0].tool.definition.input_schema'],
  [add(mcp), 'content[0].tool: this service connects to no MCP servers'],
  [add({ type: 'mcp_tool_reference', server_name: 's', name: 'a' }), 'no MCP servers'],
  [{ type: 'tool_removal', tool: defined(listed('a')) }, 'content[0].tool: tool_removal'],
  [{ type: 'tool_removal' }, 'content[0].tool: tool_removal'],
])('%j is refused', (change, message) => {
  expect(() => parsed([change])).toThrow(message)
})

test('no more tools are defined than a request lists', () => {
  const names = Array.from({ length: 1_025 }, (_, index) => `tool-${index}`)
  const changes = names.map((name) => add(defined(listed(name))))
  expect(() => parsed(changes)).toThrow('at most 1024 tools')
  const again = names.slice(0, 1_024).flatMap((name) => [add(defined(listed(name))), remove(name)])
  expect(offered([...again, ...again])).toEqual(['a', 'b'])
})

test('a choice of a tool that was withdrawn is refused', () => {
  const choice = { tool_choice: { type: 'tool', name: 'a' } }
  expect(() => parsed([remove('a')], choice)).toThrow('not among the tools')
})
