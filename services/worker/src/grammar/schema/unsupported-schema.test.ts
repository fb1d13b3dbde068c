import { describe, expect, it } from 'vitest'
import { GbnfAcceptance } from '../../../testing/grammar/gbnf-acceptance.ts'
import { GbnfSampler } from '../../../testing/grammar/gbnf-sampler.ts'
import { GrammarRules } from '../gbnf/gbnf.ts'
import { addSchema } from './json-schema.ts'
import { refusedKeywords } from './keywords.ts'
import type { JsonSchema } from './schema-document.ts'
import { defaultSchemaLimits } from './schema-limits.ts'
import { UnsupportedSchema } from './unsupported-schema.ts'

function compile(schema: JsonSchema, unsupported: 'refuse' | 'strip'): string {
  const rules = new GrammarRules()
  return rules.text(addSchema(rules, schema, { unsupported }))
}

function refusal(schema: JsonSchema): UnsupportedSchema | undefined {
  try {
    compile(schema, 'refuse')
  } catch (error) {
    if (error instanceof UnsupportedSchema) return error
    throw error
  }
  return undefined
}

const refused: readonly (readonly [path: string, schema: JsonSchema])[] = [
  ['properties.age.multipleOf', { properties: { age: { type: 'number', multipleOf: 3 } } }],
  ['items.uniqueItems', { items: { type: 'array', uniqueItems: true } }],
  ['not', { not: { type: 'null' } }],
  ['if', JSON.parse('{"if":{"type":"null"},"then":false}')],
  [
    '$defs.a.patternProperties',
    { $ref: '#/$defs/a', $defs: { a: { patternProperties: { a: true } } } },
  ],
  ['dependentRequired', { type: 'object', dependentRequired: { a: ['b'] } }],
  ['unevaluatedProperties', { type: 'object', unevaluatedProperties: false }],
  ['contains', { type: 'array', contains: { type: 'null' } }],
  ['propertyNames', { type: 'object', propertyNames: { maxLength: 3 } }],
  ['$dynamicRef', { $dynamicRef: '#a' }],
  ['$ref', { $ref: 'https://example.com/schema' }],
  ['$ref', { $ref: '#anchor' }],
  ['$ref', { $ref: '#/$defs/none', $defs: {} }],
  ['$ref', { $ref: '#/$defs/__proto__', $defs: {} }],
  ['$ref', { $ref: '#/constructor' }],
  ['$ref', { $ref: '#' }],
  [
    '$defs.a.$ref',
    { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/a' }] } } },
  ],
  ['properties.a.$id', { properties: { a: { $id: 'https://x.example/a', type: 'null' } } }],
  ['pattern', { type: 'string', pattern: '(?=a)' }],
  ['pattern', { type: 'string', pattern: '(' }],
  ['pattern', { type: 'string', pattern: 'a{1,2000}b{1,2000}$' }],
  ['maxLength', { type: 'string', pattern: '^a*b*$', maxLength: 100_000 }],
  ['format', { type: 'string', format: 'regex' }],
  ['format', { type: 'integer', format: 'int7' }],
  ['oneOf', { oneOf: [{ type: 'integer' }, { type: 'number' }] }],
  ['oneOf', { oneOf: [{ required: ['a'] }, { required: ['b'] }], type: 'object' }],
  ['minimum', { type: 'number', minimum: 1e16 }],
  ['minProperties', { type: 'object', minProperties: 2 }],
  ['type', { type: 'kaboom' }],
  ['type', { type: 123 }],
  ['minLength', { type: 'string', minLength: -1 }],
  ['maxItems', { type: 'array', maxItems: 1.5 }],
  ['minimum', { type: 'number', minimum: '1' }],
  ['exclusiveMinimum', { type: 'number', exclusiveMinimum: true }],
  ['required', { type: 'object', required: 'a' }],
  ['required', { type: 'object', required: [1] }],
  ['properties', { type: 'object', properties: [] }],
  ['items', { type: 'array', items: [{ type: 'null' }] }],
  ['enum', { enum: 'a' }],
  ['anyOf', { anyOf: [] }],
]

const impossible: readonly JsonSchema[] = [
  ...[
    false,
    { enum: [] },
    { enum: ['a'], type: 'integer' },
    { type: 'string', minLength: 2, maxLength: 1 },
  ],
  ...[
    { allOf: [{ type: 'null' }, { type: 'string' }] },
    { properties: { a: false }, required: ['a'] },
  ],
  ...[
    { type: 'array', items: false, minItems: 1 },
    { type: 'integer', minimum: 1.2, maximum: 1.8 },
  ],
  { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] },
  { type: 'string', pattern: '^a$', minLength: 2 },
  JSON.parse('{"type":"object","properties":{"__proto__":true},"required":["__proto__"]}'),
]

describe('a schema that cannot be enforced', () => {
  it.each(refused)('is refused with the place and the keyword: %s of %j', (path, schema) => {
    const error = refusal(schema)
    expect(error).toMatchObject({ path, keyword: path.slice(path.lastIndexOf('.') + 1) })
    expect(error?.message.startsWith(`${path}: `)).toBe(true)
  })

  it.each(refused)('has that part left out for a tool: %s of %j', (_path, schema) => {
    expect(() => new GbnfSampler(compile(schema, 'strip'))).not.toThrow()
  })

  it.each(impossible.map((schema) => [schema]))(
    'is refused where nothing is valid: %j',
    (schema) => {
      expect(refusal(schema)?.message).toContain('is valid for no value')
      const stripped = new GbnfAcceptance(compile(schema, 'strip'))
      expect(stripped.accepts('{"a":1}')).toBe(true)
    },
  )

  it('is refused with the place of a part that is no schema', () => {
    const schema = { type: 'object', properties: { a: 1 } }
    expect(refusal(schema)).toMatchObject({ path: 'properties.a', keyword: 'properties' })
  })

  it('keeps what can be enforced beside what is left out', () => {
    const schema = { properties: { a: { type: 'integer', multipleOf: 3, minimum: 1 } }, not: {} }
    const grammar = new GbnfAcceptance(compile(schema, 'strip'))
    expect(grammar.accepts('{"a":4}')).toBe(true)
    for (const text of ['{"a":0}', '{"a":1.5}', '{"b":1}'])
      expect(grammar.accepts(text)).toBe(false)
  })
})

describe('a keyword that demands nothing', () => {
  const type = {
    object: {},
    array: [],
    string: '',
    number: 0,
    integer: 0,
    boolean: true,
    null: null,
  }

  it.each(
    refusedKeywords.flatMap(({ name, about }) => (about === null ? [] : [[name, about] as const])),
  )('%s is no reason to refuse where no %s can be', (name, about) => {
    const other = Object.keys(type).find((each) => each !== about && about !== 'number') ?? 'null'
    expect(refusal({ type: other, [name]: { a: {} } })).toBeUndefined()
  })

  it.each([
    ...[{ uniqueItems: false }, { uniqueItems: true, maxItems: 1 }, { not: false }, { if: {} }],
    ...[{ patternProperties: {} }, { propertyNames: true }, { dependentRequired: {} }],
    { type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} },
    ...[
      { unevaluatedItems: {} },
      { contains: {}, minContains: 0 },
      { minContains: 2 },
      { maxContains: 1 },
    ],
    ...[
      { type: 'integer', multipleOf: 1 },
      JSON.parse('{"then":false}'),
      { else: false },
      { additionalItems: false },
    ],
  ])('is no reason to refuse: %j', (schema) => {
    expect(refusal(schema)).toBeUndefined()
  })
})

describe('a schema that is too large', () => {
  const nested = (depth: number): JsonSchema =>
    Array.from({ length: depth }).reduce<JsonSchema>((items) => ({ type: 'array', items }), true)
  const chain = Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [`a${index}`, { $ref: `#/$defs/a${index + 1}` }]),
  )
  const doubling = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => {
      const next = { $ref: `#/$defs/a${index + 1}` }
      return [`a${index}`, { anyOf: [next, { allOf: [next, { minimum: index }] }] }]
    }),
  )
  const wide = Object.fromEntries(
    Array.from({ length: 5000 }, (_, index) => [
      `property${index}`,
      { type: 'integer', minimum: index },
    ]),
  )
  const tooLarge: readonly (readonly [string, JsonSchema])[] = [
    ['depth', nested(66)],
    ['depth', nested(100_000)],
    ['depth', { $ref: '#/$defs/a0', $defs: { ...chain, a1000: true } }],
    ['size', { $ref: '#/$defs/a0', $defs: { ...doubling, a20: { type: 'integer' } } }],
    ['size', { properties: wide }],
    [
      'size',
      { allOf: Array.from({ length: 10 }, () => ({ anyOf: [{ minimum: 1 }, { maximum: 1 }] })) },
    ],
    ['size', { enum: Array.from({ length: 100_000 }, (_, index) => `value ${index}`) }],
    [
      'size',
      {
        anyOf: Array.from({ length: 200 }, (_, a) => ({
          pattern: `^${a}[a-z]{99}$`,
          title: `${a}`,
        })),
      },
    ],
  ]

  it.each(tooLarge)('is refused, also for a tool: %s', (keyword, schema) => {
    expect(refusal(schema)?.keyword).toBe(keyword)
    expect(() => compile(schema, 'strip')).toThrow(UnsupportedSchema)
  })

  it('leaves the rules of others as they were', () => {
    const rules = new GrammarRules()
    const before = addSchema(rules, { type: 'null' }, { unsupported: 'refuse' })
    expect(() => addSchema(rules, { properties: wide }, { unsupported: 'strip' })).toThrow()
    expect(rules.count).toBe(1)
    expect(new GbnfAcceptance(rules.text(before)).accepts('null')).toBe(true)
  })

  it('is not a schema of sixty levels', () => {
    expect(refusal(nested(60))).toBeUndefined()
  })
})

describe('a schema that would take long', () => {
  const manyNames = Object.fromEntries(
    Array.from({ length: 900 }, (_, index) => [`property${index}`, { type: 'null' }]),
  )
  /** Each took seconds when only combinations were counted. */
  const costly: readonly (readonly [string, JsonSchema])[] = [
    ['a pattern of many states', { pattern: '(a|b)*a(a|b){9}$' }],
    ['a pattern of many steps', { pattern: `^(${'a?'.repeat(1000)})$` }],
    [
      'many patterns',
      {
        anyOf: Array.from({ length: 40 }, (_, index) => ({
          type: 'string',
          pattern: `^(x{0,20}y?){0,${index + 1}}z?$`,
          title: `${index}`,
        })),
      },
    ],
    ['counted properties', { properties: manyNames, minProperties: 250, maxProperties: 256 }],
    [
      'one text in many places',
      {
        properties: Object.fromEntries(
          Object.keys(manyNames).map((name) => [name, { $ref: '#/$defs/a' }]),
        ),
        $defs: { a: { const: 'x'.repeat(1_000) } },
      },
    ],
    [
      'many branches to be told apart',
      {
        oneOf: Array.from({ length: 300 }, (_, index) => ({
          properties: { kind: { const: index }, a: {} },
          required: ['kind'],
        })),
      },
    ],
  ]

  it.each(costly)('is refused within its steps: %s', (_name, schema) => {
    const limits = { ...defaultSchemaLimits, bytesMax: Number.MAX_SAFE_INTEGER }
    const steps = [1, 2].map(() => {
      const rules = new GrammarRules()
      const compile = () => addSchema(rules, schema, { unsupported: 'refuse', limits })
      expect(compile).toThrow(UnsupportedSchema)
      return rules.work.steps
    })
    expect(steps[0]).toBeLessThan(1.1 * defaultSchemaLimits.stepsMax)
    // Whatever was compiled before, and however fast.
    expect(steps[1]).toBe(steps[0])
  })

  it('is one above its bytes', () => {
    const schema = { enum: Array.from({ length: 6 }, (_, index) => 'x'.repeat(20_000) + index) }
    expect(refusal(schema)).toMatchObject({ keyword: 'size', reason: 'is above 65536 bytes' })
  })
})
