import type { PrepareRequest, ToolDefinition, ToolUse } from '@svc/contracts/worker/protocol'
import { PLAIN, THINKING } from '@svc/testing/protocol-client'
import { describe, expect, it } from 'vitest'
import { GbnfAcceptance } from '../../testing/grammar/gbnf-acceptance.ts'
import type { Family } from '../prompt/families/family.ts'
import { harmony } from '../prompt/families/harmony.ts'
import { hermes } from '../prompt/families/hermes.ts'
import { makePlan } from './answer-plan.ts'

const schema = (properties: object) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const weather = { name: 'get_weather', parameters: schema({ city: { enum: ['Oslo', 'Rome'] } }) }
const clock = { name: 'get_time', parameters: schema({ zone: { type: 'string' } }) }
const toolUse = (changes: Partial<ToolUse> = {}): ToolUse => ({
  tools: [weather, clock],
  choice: 'auto',
  callable: null,
  parallel: true,
  ...changes,
})
const person = { type: 'json_schema', schema: schema({ age: { type: 'integer' } }) } as const

const hugeTool = {
  name: 'huge',
  parameters: {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 6000 }, (_, index) => [
        `property_${index}`,
        { type: ['string', 'null'] },
      ]),
    ),
  },
}

const family = hermes('<think>')
const plan = (asked: Partial<PrepareRequest> = {}) => makePlan(family, { ...PLAIN, ...asked })

describe('the plan of an answer', () => {
  it('without tools and format is free', () => {
    expect(plan()).toEqual({
      grammar: null,
      grammarFrom: 'answer',
      callable: [],
      mustCall: false,
    })
  })

  it('with a format is under its grammar from the beginning', () => {
    expect(plan({ outputFormat: { type: 'json' } })).toMatchObject({
      grammar: expect.stringMatching(/^root ::= /),
      grammarFrom: 'answer',
      callable: [],
    })
    expect(plan({ outputFormat: person }).grammar).toContain('age')
  })

  it('with tools that may be called is free up to a call', () => {
    const { grammar, grammarFrom, callable, mustCall } = plan({ toolUse: toolUse() })
    expect([grammarFrom, callable, mustCall]).toEqual([
      'tool_call',
      ['get_weather', 'get_time'],
      false,
    ])
    expect(grammar).toContain('get_weather')
    expect(grammar).toContain('Rome')
  })

  it('with tools that must be called is a call from the beginning', () => {
    const named = plan({ toolUse: toolUse({ choice: 'required', callable: ['get_time'] }) })
    expect(named).toMatchObject({
      grammarFrom: 'answer',
      callable: ['get_time'],
      mustCall: true,
    })
    expect(named.grammar).toContain('zone')
    expect(named.grammar).not.toContain('get_weather')
  })

  it('with tools that must not be called takes calls for text', () => {
    expect(plan({ toolUse: toolUse({ choice: 'none' }) })).toEqual(plan())
  })

  it('with tools and a format is either of them, or a call where one is required', () => {
    const either = plan({ toolUse: toolUse(), outputFormat: person })
    expect(either).toMatchObject({ grammarFrom: 'answer', mustCall: false })
    expect(either.grammar).toContain('age')
    expect(either.grammar).toContain('get_weather')
    const call = plan({ toolUse: toolUse({ choice: 'required' }), outputFormat: person })
    expect(call.grammar).not.toContain('age')
  })

  it('lets one call follow another only where it may', () => {
    const one = plan({ toolUse: toolUse({ parallel: false }) })
    expect(one.grammar).not.toBe(plan({ toolUse: toolUse() }).grammar)
  })

  it('leaves room after thinking, and knows what stands before an answer', () => {
    const asked = { outputFormat: { type: 'json' }, thinking: THINKING } as const
    expect(plan(asked).grammar).toMatch(/^root ::= \[ \\n\]\{0,2\}/)
    const onChannels = makePlan(harmony(), { ...PLAIN, ...asked })
    expect(onChannels.grammar).toMatch(/^root ::= .*final/)
  })
})

describe('the arguments of a tool that takes nothing', () => {
  const none: ToolDefinition['parameters'][] = [
    {},
    { type: 'object' },
    { properties: {} },
    { type: ['object', 'null'], properties: {}, required: [] },
    { type: 'object', properties: {}, additionalProperties: false },
    { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'x', description: 'None.' },
    { type: 'object', properties: {}, 'x-order': [] },
  ]
  const free: ToolDefinition['parameters'][] = [
    { additionalProperties: true },
    { type: 'object', properties: {}, additionalProperties: { type: 'integer' } },
    { type: 'object', minProperties: 1 },
    { type: 'object', patternProperties: { '^a$': { type: 'integer' } } },
    { required: ['a'] },
    { allOf: [{ type: 'object', additionalProperties: true }] },
  ]
  const templates = { hermes: hermes('<think>'), harmony: harmony() }

  it.each(Object.entries(templates))('is an empty object and nothing else, %s', (_, family) => {
    for (const parameters of none) {
      expect(acceptedArguments(family, [{ name: 'f', parameters }])).toEqual(['{}'])
    }
  })

  it('is an empty object also beside a tool that is too large to be enforced', () => {
    const tools = [{ name: 'f', parameters: {} }, hugeTool]
    expect(acceptedArguments(hermes('<think>'), tools)).toEqual(['{}'])
  })

  it('is free where free names are declared', () => {
    for (const parameters of free) {
      const accepted = acceptedArguments(hermes('<think>'), [{ name: 'f', parameters }])
      expect(accepted, JSON.stringify(parameters)).toContain('{"a": 1}')
    }
  })

  /** Of some texts, those that the tool `f` can be called with. */
  function acceptedArguments(family: Family, tools: ToolUse['tools']): string[] {
    const asked = { toolUse: toolUse({ tools, choice: 'required' }) }
    const { grammar } = makePlan(family, { ...PLAIN, ...asked })
    const acceptance = new GbnfAcceptance(grammar ?? '')
    return ['{}', '{"a": 1}', '{"": null}', '[]', 'null', '""'].filter((json) =>
      [
        `<tool_call>\n{"name": "f", "arguments": ${json}}\n</tool_call>`,
        `<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>${json}`,
      ].some((call) => acceptance.accepts(call)),
    )
  }
})

describe('what cannot be enforced', () => {
  const odd = schema({ age: { type: 'integer', multipleOf: 3 } })

  it('of a format is refused, and the keyword is named', () => {
    const asked = { outputFormat: { type: 'json_schema', schema: odd } } as const
    expect(() => plan(asked)).toThrow(
      expect.objectContaining({
        code: 'unsupported_schema',
        message: expect.stringContaining('properties.age.multipleOf'),
      }),
    )
    expect(() => plan({ ...asked, toolUse: toolUse({ choice: 'required' }) })).toThrow(/multipleOf/)
  })

  it('of a tool is left to the model', () => {
    const tools = [{ name: 'count', parameters: odd }]
    expect(plan({ toolUse: toolUse({ tools }) }).grammar).toContain('age')
  })

  it('of a tool leaves an object in any case', () => {
    const never = { type: 'object', properties: { a: false }, required: ['a'] }
    const either = { anyOf: [{ type: 'string' }, { type: 'object', properties: {} }] }
    for (const parameters of [{}, never, either, { $ref: '#/$defs/x', $defs: { x: true } }]) {
      const tools = [{ name: 'f', parameters }]
      const { grammar } = plan({ toolUse: toolUse({ tools, choice: 'required' }) })
      const accepts = (json: string) =>
        new GbnfAcceptance(grammar ?? '').accepts(
          `<tool_call>\n{"name": "f", "arguments": ${json}}\n</tool_call>`,
        )
      expect([accepts('{}'), accepts('"x"'), accepts('[]'), accepts('1')]).toEqual([
        ...[true, false, false, false],
      ])
    }
  })

  it('because it is too large becomes any object', () => {
    const { grammar } = plan({ toolUse: toolUse({ tools: [hugeTool], choice: 'required' }) })
    expect(grammar).toContain('huge')
    expect(grammar).not.toContain('property_1')
  })

  it('of one tool leaves the others as they are', () => {
    const pattern = (index: number) => ({ type: 'string', pattern: `(a|b)*a(a|b){9}${index}$` })
    const properties = Object.fromEntries(
      Array.from({ length: 9 }, (_, i) => [`p${i}`, pattern(i)]),
    )
    const tools = [{ name: 'bomb', parameters: { properties } }, weather, clock]
    const { grammar } = plan({ toolUse: toolUse({ tools }) })
    expect(grammar).toContain('Rome')
    expect(grammar).toContain('zone')
    expect(grammar).not.toContain('p1')
  })

  it('because no tool is left is refused', () => {
    const nobody = toolUse({ choice: 'required', callable: ['nobody'] })
    expect(() => plan({ toolUse: nobody })).toThrow(
      expect.objectContaining({ code: 'bad_request' }),
    )
    expect(plan({ toolUse: { ...nobody, choice: 'auto' } })).toEqual(plan())
  })
})
