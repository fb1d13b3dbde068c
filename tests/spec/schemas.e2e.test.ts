/**
 * Schemas for answers, with the real worker, in all three formats: what can be enforced is, what
 * cannot is refused by name and costs nothing (complaint 9), and in the parameters of a tool it is
 * left out. The numbers are those of group E of the corpus of bad input. What is not here: E1 (a
 * raw grammar is ignored) is in services/gateway/src/formats/tests/bad-input.int.test.ts, and E22
 * (unique schemas without end) in the tests of the worker, whose store of grammars is bounded.
 */
import { parseDollars } from '@svc/contracts/money'
import { wireFormats } from '@svc/testing/wire-formats'
import {
  type Conversation,
  question,
  weatherQuestion,
} from '@svc/testing/wire-formats/conversation'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Customer, type SpecServer, startSpecServer } from './spec-server.ts'

let server: SpecServer
let customer: Customer

beforeAll(async () => {
  server = await startSpecServer()
  customer = await server.customer()
})
afterAll(() => server.stop())

const object = (properties: object, rest: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...rest,
})
const a = (schema: unknown) => object({ a: schema })
const text = (fields: object) => a({ type: 'string', ...fields })
const many = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`)

const NOTHING = 'is valid for no value'

/** With what the message has to say, and the code where it is not `unsupported_value`. */
type Refused = readonly [name: string, schema: object, at: string, code?: string]

const refused: readonly Refused[] = [
  ['E2 60,000 groups', text({ pattern: `${'('.repeat(30_000)}a${')'.repeat(30_000)}` }), 'pattern'],
  ['E3 1,000 levels', deep(1_000), 'nested', 'invalid_json'],
  ['E4 groups that do not end', text({ pattern: '((((' }), 'pattern'],
  ['E5 a repetition of nothing', text({ pattern: '^+[a-z]$' }), 'pattern'],
  ['E5 a count of nothing', text({ pattern: '^{2}x$' }), 'pattern'],
  ['E5 a look behind', text({ pattern: '(?<=a)b' }), 'pattern'],
  ['E9 minItems above maxItems', a({ type: 'array', minItems: 3, maxItems: 2 }), NOTHING],
  ['E10 an enum of 100,000', a({ enum: many(100_000) }), 'items', 'invalid_json'],
  ['E10 an enum of nothing', a({ enum: [] }), NOTHING],
  [
    'E11 1,025 properties',
    object(Object.fromEntries(many(1_025).map((name) => [name, {}]))),
    'properties',
  ],
  ['E13 a reference to itself', { $ref: '#' }, '$ref'],
  [
    'E13 references in a circle',
    { $ref: '#/$defs/b', $defs: { b: { $ref: '#/$defs/c' }, c: { $ref: '#/$defs/b' } } },
    '$ref',
  ],
  ...['http://127.0.0.1/x', 'file:///etc/passwd', '#/../x', '#/__proto__', '#/constructor'].map(
    (to): Refused => [`E14 a reference to ${to}`, a({ $ref: to }), '$ref'],
  ),
  ['E15 $dynamicRef', a({ $dynamicRef: '#x' }), '$dynamicRef'],
  ['E15 $recursiveRef', a({ $recursiveRef: '#' }), '$recursiveRef'],
  [
    'E15 unevaluatedProperties',
    object({}, { unevaluatedProperties: false }),
    'unevaluatedProperties',
  ],
  ['E15 if and then', JSON.parse('{"if":{"type":"null"},"then":false}'), 'if'],
  ['E17 a property that nothing can be', a(false), NOTHING],
  ['E18 not', a({ not: {} }), 'not'],
  ['E18 a contradiction', a({ allOf: [{ type: 'string' }, { type: 'null' }] }), NOTHING],
  [
    'E19 __proto__ for a name',
    JSON.parse('{"properties":{"__proto__":{}}}'),
    '__proto__',
    'invalid_json',
  ],
  ['E21 a format that is unknown', text({ format: 'regex' }), 'format'],
  ['complaint 9: multipleOf', a({ type: 'number', multipleOf: 3 }), 'properties.a.multipleOf'],
  ['complaint 9: uniqueItems', a({ type: 'array', uniqueItems: true }), 'properties.a.uniqueItems'],
]

function deep(levels: number): object {
  return JSON.parse(`${'{"items":'.repeat(levels)}{}${'}'.repeat(levels)}`)
}

const whoQuestion: Conversation = {
  turns: [{ kind: 'user', text: 'What is my name? Look it up for the city of Oslo.' }],
}

const isA = (check: (value: unknown) => boolean) => (answer: unknown) =>
  expect(answer).toEqual({ a: expect.toSatisfy(check) })
const is = (value: unknown) => isA((given) => JSON.stringify(given) === JSON.stringify(value))
const matches = (pattern: RegExp) => isA((given) => pattern.test(String(given)))
const quoted = 'say "hi" \\ " ::= "\n'

type Served = readonly [name: string, schema: object, expectValid: (answer: unknown) => void]
const served: readonly Served[] = [
  ['E3 9 levels', a(deep(9)), isA(() => true)],
  [
    'E6 a pattern that others choke on',
    text({ pattern: '^(a+)+$', maxLength: 9 }),
    matches(/^a+$/),
  ],
  [
    'complaint 9: a nested pattern',
    a(text({ pattern: '^[A-Z]{3}$' })),
    isA((value) => /^[A-Z]{3}$/.test((value as { a: string }).a)),
  ],
  [
    'E7 maxLength 2,000 in a list',
    a({ type: 'array', items: { type: 'string', maxLength: 2_000 }, maxItems: 1 }),
    isA(Array.isArray),
  ],
  ['E10 an enum of 1,000', a({ enum: many(1_000) }), matches(/^v\d+$/)],
  ['E10 an enum of objects', a({ enum: [{ x: 1 }] }), is({ x: 1 })],
  ['E12 17 branches', a({ anyOf: many(17).map((value) => ({ const: value })) }), matches(/^v\d+$/)],
  ['E13 a chain of references', chain(30), is('end')],
  [
    'E16 free names',
    { type: 'object', additionalProperties: { type: 'integer' }, maxProperties: 1 },
    (answer) => expect(Object.values(answer as object).every(Number.isInteger)).toBe(true),
  ],
  [
    'E17 a property that anything can be',
    a({ type: ['null', 'boolean'] }),
    isA((value) => value === null || typeof value === 'boolean'),
  ],
  [
    'E19 names with quotes',
    object({ [quoted]: { const: 1 } }),
    (answer) => expect(answer).toEqual({ [quoted]: 1 }),
  ],
  ['E20 a text with quotes', a({ const: quoted }), is(quoted)],
  ['E21 a format', text({ format: 'date' }), matches(/^\d{4}-\d\d-\d\d$/)],
  [
    'a size of integers, as schemas made from Rust have it',
    a({ type: 'integer', format: 'uint8', minimum: 0 }),
    isA((value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255),
  ],
  [
    'a path, as schemas made by pydantic have it',
    text({ format: 'path', maxLength: 9 }),
    isA((value) => typeof value === 'string'),
  ],
]

function chain(length: number): object {
  const links = many(length).map((name, index) => [name, { $ref: `#/$defs/v${index + 1}` }])
  return {
    ...a({ $ref: '#/$defs/v0' }),
    $defs: { ...Object.fromEntries(links), [`v${length}`]: { const: 'end' } },
  }
}

describe.each(wireFormats)('$name', (format) => {
  const path = format.paths[0]
  const mustCall = {
    chat: { tool_choice: 'required' },
    responses: { tool_choice: 'required' },
    messages: { tool_choice: { type: 'any' } },
  }[format.name]

  const cases = refused.map(([name, schema, at, code = 'unsupported_value']) => ({
    name,
    schema,
    at,
    code,
  }))

  test.each(cases)('$name: is refused by name, and costs nothing', async ({ schema, at, code }) => {
    const before = await customer.balance()
    const response = await customer.post(path, format.body({ ...question, schema }))
    const body = await response.text()
    expect(response.status, body).toBe(400)
    expect(body).toContain(code)
    expect(JSON.parse(body).error.message).toContain(at)
    // E23: what was refused leaves the worker well.
    const next = await customer.post(path, format.body({ ...question, maxTokens: 1 }))
    expect(next.status).toBe(200)
    const { amount } = await customer.receiptOf(next)
    expect(before - (await customer.balance())).toBe(parseDollars(amount))
  })

  test.each(served)('%s: the answer is valid', async (_name, schema, expectValid) => {
    const response = await customer.post(path, format.body({ ...question, schema, maxTokens: 100 }))
    const body = await response.json()
    expect(response.status, JSON.stringify(body)).toBe(200)
    const answer = format.readAnswer(body)
    expect(answer.stop).toBe(format.stops.end)
    expectValid(JSON.parse(answer.text))
  })

  test.each([
    ['E8 minLength 10^9', text({ minLength: 1e9 })],
    ['E8 minItems 10^9', a({ type: 'array', items: { type: 'integer' }, minItems: 1e9 })],
  ])('E24, %s: is stopped at the limit, and charged for what was made', async (_name, schema) => {
    const body = format.body({ ...question, schema, maxTokens: 20 })
    const response = await customer.post(path, body)
    const answer = format.readAnswer(await response.json())
    expect(answer.stop).toBe(format.stops.limit)
    const { usage } = await customer.receiptOf(response)
    expect(usage.output_tokens).toBe(20)
  })

  const whoami = { name: 'whoami', description: 'Get the name of the user' }
  const bare: readonly object[] = {
    chat: [
      {},
      { parameters: null },
      { parameters: {} },
      { parameters: { type: 'object' } },
      { parameters: { type: 'object', properties: {} } },
      { strict: true },
    ].map((more) => ({ type: 'function', function: { ...whoami, ...more } })),
    responses: [
      {},
      { parameters: null },
      { parameters: {} },
      { parameters: { type: 'object' } },
      { parameters: { type: 'object', properties: {} } },
      { strict: true },
    ].map((more) => ({ type: 'function', ...whoami, ...more })),
    messages: [{}, { type: 'object' }, { type: 'object', properties: {} }].map((schema) => ({
      ...whoami,
      input_schema: schema,
    })),
  }[format.name]

  test.each(bare)('a tool that takes nothing is called with nothing: %j', async (tool) => {
    for (const fields of [{ tools: [tool] }, { tools: [tool], ...mustCall }]) {
      const answer = await customer.post(path, format.body(whoQuestion, fields))
      const { calls } = format.readAnswer(await answer.json())
      if ('tool_choice' in fields) expect(calls.length).toBeGreaterThan(0)
      for (const call of calls) expect(call).toEqual({ name: 'whoami', input: {} })
    }
  })

  test('complaint 9: in the parameters of a tool a keyword is left out, and the rest holds', async () => {
    const parameters = object({
      city: { type: 'string', enum: ['Oslo', 'Rome'] },
      days: { type: 'integer', multipleOf: 7 },
    })
    const tools = [{ name: 'get_weather', description: 'Get the weather', parameters }]
    const body = format.body({ ...weatherQuestion, tools }, mustCall)
    const { calls } = format.readAnswer(await (await customer.post(path, body)).json())
    expect(calls).toEqual([
      {
        name: 'get_weather',
        input: { city: expect.stringMatching(/^(Oslo|Rome)$/), days: expect.any(Number) },
      },
    ])
  })
})
