import { expect, test } from 'vitest'
import { type GivenChoice, type GivenTool, toolUseOf } from './tools.ts'

const tool = (name: string): GivenTool => ({
  name,
  description: null,
  parameters: null,
  param: 'tools[0].function.name',
})
const choice = (fields: Partial<GivenChoice> = {}): GivenChoice => ({
  mode: 'auto',
  callable: null,
  param: 'tool_choice',
  ...fields,
})

test('no tools are no tool use, whatever the choice', () => {
  expect(toolUseOf([], choice({ mode: 'none' }), true)).toBeNull()
})

test('a tool without parameters takes an empty object', () => {
  expect(toolUseOf([tool('look')], choice(), false)).toEqual({
    tools: [{ name: 'look', parameters: { type: 'object', properties: {} } }],
    choice: 'auto',
    callable: null,
    parallel: false,
  })
})

test.each<[string, GivenTool[], GivenChoice, string]>([
  ['a bad name', [tool('a b')], choice(), 'tools[0].function.name'],
  ['no name', [tool('')], choice(), 'tools[0].function.name'],
  ['a name twice', [tool('a'), tool('a')], choice(), 'tools[0].function.name'],
  ['too many', Array.from({ length: 257 }, (_, at) => tool(`t${at}`)), choice(), 'tools'],
  ['none, where one must be called', [], choice({ mode: 'required' }), 'tool_choice'],
  ['a choice of another', [tool('a')], choice({ callable: ['b'] }), 'tool_choice'],
  ['a choice of none', [tool('a')], choice({ mode: 'required', callable: [] }), 'tool_choice'],
])('%s is refused by its field', (_name, tools, given, param) => {
  const refused = expect.objectContaining({ code: 'invalid_value', param })
  expect(() => toolUseOf(tools, given, true)).toThrow(refused)
})
