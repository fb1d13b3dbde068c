/** Random schemas of the kinds that callers send, and some that nobody would. */
import fc from 'fast-check'
import type { SchemaObject } from '../../src/grammar/schema/schema-document.ts'

const names = fc.constantFrom(
  ...[
    'name',
    'id',
    'a',
    'ab',
    'abc',
    'kind',
    'größe',
    '😀',
    'with "quotes"',
    'back\\slash',
    'x\ny',
  ],
  // Not `valueOf` and `toString`: the validator that judges calls them on what it compares.
  ...['', '#', '::=', ']', 'constructor', 'hasOwnProperty', 'a.b', '~1', '\u2028'],
)

const patterns = fc.constantFrom(
  ...[
    '^[a-z]+$',
    '^\\d{3}-\\d{4}$',
    'foo',
    '^foo',
    'bar$',
    '^(?:yes|no)$',
    '^[^"\\\\]*$',
    '.',
    '\\s',
  ],
  ...[
    '^\\w{1,20}$',
    '^a|b$',
    '[äöü]',
    '^[\\u{1F600}-\\u{1F64F}]{1,3}$',
    '^"\\\\/$',
    '^\\S+@\\S+$',
    '^.{2,5}$',
  ],
  ...[
    '^(a|bc)*d?$',
    '[\\t\\n]',
    '^[A-Z]{2}[0-9]*$',
    '^-?\\d+(\\.\\d+)?$',
    'a.*b',
    '^(?:[01]\\d|2[0-3]):[0-5]\\d$',
  ],
)

const formats = fc.constantFrom(
  ...['date', 'time', 'date-time', 'duration', 'uuid', 'email', 'hostname', 'ipv4', 'ipv6', 'uri'],
)

const anyText = fc.oneof(names, fc.string({ unit: 'grapheme', maxLength: 8 }))
const bound = fc.oneof(
  fc.integer({ min: -2000, max: 2000 }),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  fc.constantFrom(0, -0, 0.1, 1e-7, 1e14, -1e15, 2 ** 53, -(2 ** 53), 1e21, 5e-324, 99.5, -0.5),
)

const numberType = fc.constantFrom('integer', 'number')
const numeric = fc.oneof(
  fc.record({ type: numberType }),
  fc
    .record({ type: numberType, minimum: bound, maximum: bound }, { requiredKeys: ['type'] })
    .map(ordered),
  fc.record(
    {
      type: numberType,
      exclusiveMinimum: bound,
      exclusiveMaximum: bound,
      format: fc.constantFrom('int32', 'int64', 'uint8', 'double'),
    },
    { requiredKeys: ['type'] },
  ),
)

const count = fc.oneof(fc.integer({ min: 2, max: 8 }), fc.constantFrom(0, 100, 130, 300, 5000))
const type = fc.constant('string')
const lengths = { minLength: fc.integer({ min: 0, max: 3 }), maxLength: count }
const textual = fc.oneof(
  fc.record({ type, ...lengths }, { requiredKeys: ['type'] }),
  fc.record({ type, pattern: patterns }),
  fc.record({ type, pattern: patterns, ...lengths }, { requiredKeys: ['pattern'] }),
  fc.record({ type, format: formats }),
  fc.record({ type, format: formats, pattern: patterns, ...lengths }, { requiredKeys: ['format'] }),
)

const value = fc.oneof(
  anyText,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.integer(), { maxLength: 2 }),
  // No names of methods: the library that validates would call them where it compares.
  fc.dictionary(fc.constantFrom('a', 'b', 'ö', '"'), fc.integer(), { maxKeys: 2 }),
)

const named = fc.oneof(
  fc.record({ enum: fc.array(value, { minLength: 1, maxLength: 5 }) }),
  fc.record({ const: value }),
  fc.record({
    type: fc.constant('string'),
    enum: fc.array(anyText, { minLength: 1, maxLength: 4 }),
  }),
)

const simple = fc.oneof(
  numeric,
  textual,
  named,
  fc.constantFrom<SchemaObject>(...[{ type: 'null' }, { type: 'boolean' }, { type: 'object' }]),
  fc.record({
    type: fc.uniqueArray(fc.constantFrom('null', 'string', 'integer', 'boolean', 'array'), {
      minLength: 1,
    }),
  }),
)

/** A schema with definitions `a` and `b`, to which any part of it may refer. */
export const randomSchema: fc.Arbitrary<SchemaObject> = fc
  .record({ schema: anySchema(3), a: anySchema(2), b: anySchema(1) })
  // Through JSON, as callers' schemas come: objects then are as plain as those of an answer.
  .map(({ schema, a, b }) => JSON.parse(JSON.stringify({ ...schema, $defs: { a, b } })))

function anySchema(depth: number): fc.Arbitrary<SchemaObject> {
  if (depth === 0) return simple as fc.Arbitrary<SchemaObject>
  const inner = fc.oneof(anySchema(depth - 1), simple as fc.Arbitrary<SchemaObject>)
  const child: fc.Arbitrary<SchemaObject | boolean> = fc.oneof(
    { arbitrary: inner, weight: 8 },
    { arbitrary: fc.constantFrom({ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }), weight: 2 },
    { arbitrary: fc.constantFrom(true, true, false), weight: 1 },
  )
  return fc.oneof(
    { arbitrary: simple as fc.Arbitrary<SchemaObject>, weight: 2 },
    { arbitrary: objects(child), weight: 5 },
    { arbitrary: arrays(child), weight: 3 },
    { arbitrary: unions(child, inner), weight: 3 },
  )
}

function objects(child: fc.Arbitrary<unknown>): fc.Arbitrary<SchemaObject> {
  const additional = fc.oneof(fc.constant(false), fc.constant(true), child)
  return fc
    .record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(names, child, { maxKeys: 5 }),
        additionalProperties: additional,
        minProperties: fc.integer({ min: 0, max: 3 }),
        maxProperties: fc.integer({ min: 1, max: 6 }),
        picked: fc.array(fc.nat(4)),
        extra: names,
      },
      { requiredKeys: ['properties', 'picked'] },
    )
    .map(({ picked, extra, ...schema }) => {
      const declared = Object.keys(schema.properties)
      const required = picked.flatMap((index) => declared[index] ?? [])
      const more = extra !== undefined && picked.length > 3 ? [extra] : []
      return { ...schema, required: [...new Set([...required, ...more])] }
    })
}

function arrays(child: fc.Arbitrary<unknown>): fc.Arbitrary<SchemaObject> {
  return fc.record(
    {
      type: fc.constant('array'),
      items: fc.oneof(child, fc.constant(false)),
      prefixItems: fc.array(child, { minLength: 1, maxLength: 3 }),
      minItems: fc.integer({ min: 0, max: 4 }),
      maxItems: count,
    },
    { requiredKeys: ['type'] },
  )
}

function unions(
  child: fc.Arbitrary<unknown>,
  inner: fc.Arbitrary<SchemaObject>,
): fc.Arbitrary<SchemaObject> {
  const branches = fc.array(child, { minLength: 1, maxLength: 3 })
  const tagged = fc
    .array(inner, { minLength: 1, maxLength: 3 })
    .map((list) => list.map((schema, index) => withTag(schema, `tag-${index}`)))
  return fc.oneof(
    fc.record({ anyOf: branches }),
    fc.record({ oneOf: branches }),
    fc.record({ oneOf: tagged }),
    fc.record({ allOf: branches }),
    fc.tuple(inner, fc.record({ anyOf: branches })).map(([base, union]) => ({ ...base, ...union })),
    fc.tuple(inner, inner).map(([base, other]) => ({ ...base, allOf: [other] })),
    inner.map((base) => ({ ...base, $ref: '#/$defs/b' })),
  )
}

function withTag(schema: SchemaObject, tag: string): SchemaObject {
  return {
    type: 'object',
    properties: { kind: { const: tag }, value: schema },
    required: ['kind'],
    additionalProperties: false,
  }
}

/** Turns bounds around that would leave nothing, most of the time. */
function ordered<T extends { minimum?: number; maximum?: number }>(schema: T): T {
  const { minimum, maximum } = schema
  if (minimum === undefined || maximum === undefined || minimum <= maximum) return schema
  return { ...schema, minimum: maximum, maximum: minimum }
}
