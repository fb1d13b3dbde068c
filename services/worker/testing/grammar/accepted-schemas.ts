/** Schemas that are enforced whole, with texts that are and are not to be let through. */
import type { JsonSchema } from '../../src/grammar/schema/schema-document.ts'

export interface AcceptedSchema {
  readonly name: string
  readonly schema: JsonSchema
  readonly valid: readonly string[]
  readonly invalid?: readonly string[]
}

const tree = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    children: { type: 'array', items: { $ref: '#/$defs/tree' } },
  },
  required: ['name'],
  additionalProperties: false,
}

const shapes = {
  oneOf: [
    {
      type: 'object',
      properties: { kind: { const: 'circle' }, radius: { type: 'number', minimum: 0 } },
      required: ['kind', 'radius'],
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: { kind: { enum: ['square', 'cube'] }, side: { type: 'number' } },
      required: ['kind'],
      additionalProperties: false,
    },
  ],
}

const objects: readonly AcceptedSchema[] = [
  {
    name: 'required and optional properties, in the order of declaration',
    schema: {
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'boolean' }, c: { type: 'null' } },
      required: ['b'],
      additionalProperties: false,
    },
    valid: [
      '{"b":true}',
      '{"a":1,"b":false}',
      '{"a": 1, "b": true, "c": null}',
      '{"b":true,"c":null}',
    ],
    invalid: [
      '{}',
      '{"a":1}',
      '{"b":true,"a":1}',
      '{"b":true,}',
      '{"b":true,"d":1}',
      '{"b":true,"b":true}',
    ],
  },
  {
    name: 'no properties at all',
    schema: { type: 'object', additionalProperties: false },
    valid: ['{}'],
    invalid: ['{"a":1}'],
  },
  {
    name: 'a map beside declared names with a beginning in common',
    schema: {
      properties: { a: { type: 'null' }, ab: { type: 'null' }, '': { type: 'null' } },
      additionalProperties: { type: 'integer' },
    },
    valid: ['{}', '{"ab":null}', '{"abc":1,"b":2}', '{"a":null,"x":1}', '{"":null,"\\n":1}'],
    invalid: ['{"a":1}', '{"ab":1}', '{"x":null}', '{"\\u0061":1}', '{"":1}'],
  },
  {
    name: 'free names where they are allowed expressly',
    schema: { properties: { a: { type: 'null' } }, additionalProperties: true },
    valid: ['{"a":null,"b":[1]}', '{"b":{}}'],
    invalid: ['{"a":1}'],
  },
  {
    name: 'only declared names where others are not spoken of',
    schema: { properties: { a: { type: 'null' } } },
    valid: ['{"a":null}', '{}'],
    invalid: ['{"b":1}'],
  },
  {
    name: 'numbers of properties',
    schema: {
      properties: { a: { const: 1 }, b: { const: 1 }, c: { const: 1 } },
      additionalProperties: false,
      minProperties: 1,
      maxProperties: 2,
    },
    valid: ['{"a":1}', '{"c":1}', '{"a":1,"c":1}'],
    invalid: ['{}', '{"a":1,"b":1,"c":1}'],
  },
  {
    name: 'numbers of free names',
    schema: {
      type: 'object',
      additionalProperties: { const: 1 },
      minProperties: 1,
      maxProperties: 2,
    },
    valid: ['{"a":1}', '{"c":1,"d":1}'],
    invalid: ['{}', '{"a":1,"b":1,"c":1}'],
  },
  {
    name: 'names that would break a grammar or JavaScript',
    schema: {
      type: 'object',
      properties: { '" ::= ': { const: 1 }, constructor: { const: 2 }, '\\\n': { const: 3 } },
      required: ['" ::= ', 'constructor', '\\\n'],
      additionalProperties: false,
    },
    valid: ['{"\\" ::= ":1,"constructor":2,"\\\\\\n":3}'],
    invalid: ['{}', '{"constructor":2}'],
  },
  {
    name: 'a property of JavaScript that is never written',
    schema: JSON.parse('{"properties":{"__proto__":{"type":"null"},"a":{"type":"null"}}}'),
    valid: ['{"a":null}'],
    invalid: ['{"__proto__":null}'],
  },
]

const arrays: readonly AcceptedSchema[] = [
  {
    name: 'numbers of items',
    schema: { type: 'array', items: { type: 'boolean' }, minItems: 2, maxItems: 3 },
    valid: ['[true,false]', '[true, true, true]'],
    invalid: ['[]', '[true]', '[true,true,true,true]', '[true,]', '[1,2]'],
  },
  {
    name: 'no items',
    schema: { type: 'array', items: { type: 'boolean' }, maxItems: 0 },
    valid: ['[]'],
    invalid: ['[true]'],
  },
  {
    name: 'a tuple',
    schema: { prefixItems: [{ type: 'null' }, { type: 'boolean' }], items: false, minItems: 1 },
    valid: ['[null]', '[null,true]'],
    invalid: ['[]', '[true]', '[null,true,1]'],
  },
  {
    name: 'a tuple with a rest',
    schema: { prefixItems: [{ const: 'a' }], items: { type: 'integer' }, maxItems: 3 },
    valid: ['[]', '["a"]', '["a",1,2]'],
    invalid: ['[1]', '["a",1,2,3]', '["a","a"]'],
  },
]

const combinations: readonly AcceptedSchema[] = [
  {
    name: 'a definition that refers to itself',
    schema: { $ref: '#/$defs/tree', $defs: { tree } },
    valid: ['{"name":"a"}', '{"name":"a","children":[{"name":"b","children":[]}]}'],
    invalid: ['{}', '{"name":"a","children":[{}]}'],
  },
  {
    name: 'references by any pointer',
    schema: {
      properties: {
        'a/b~c %': { type: 'boolean' },
        d: { $ref: '#/properties/a~1b~0c%20%25' },
        e: { anyOf: [{ $ref: '#/properties/d' }, { type: 'null' }] },
      },
    },
    valid: ['{"d":true}', '{"e":null}', '{"a/b~c %":false,"e":true}'],
    invalid: ['{"d":1}'],
  },
  {
    name: 'branches that a property tells apart',
    schema: shapes,
    valid: ['{"kind":"circle","radius":1}', '{"kind":"cube","side":-1}', '{"kind":"square"}'],
    invalid: ['{"kind":"circle"}', '{"kind":"square","radius":1}', '{"kind":"x"}'],
  },
  {
    name: 'branches that the presence of a property tells apart',
    schema: {
      oneOf: [
        { properties: { a: { type: 'null' } }, required: ['a'], additionalProperties: false },
        { properties: { b: { type: 'null' } }, required: ['b'], additionalProperties: false },
      ],
      type: 'object',
    },
    valid: ['{"a":null}', '{"b":null}'],
    invalid: ['{"a":null,"b":null}', '{}'],
  },
  {
    name: 'branches of other types, ranges and forms',
    schema: {
      oneOf: [
        { type: 'null' },
        { type: 'integer', maximum: 3 },
        { type: 'number', minimum: 3.5 },
        { type: 'string', pattern: '^a' },
        { type: 'string', pattern: '^[^a]*$', maxLength: 3 },
      ],
    },
    valid: ['null', '3', '3.5', '"ax"', '"b"', '""'],
    invalid: ['3.2', '"bbbb"', '{}'],
  },
  {
    name: 'all of several',
    schema: {
      allOf: [
        { properties: { a: { type: ['integer', 'null'] } }, required: ['a'] },
        { properties: { a: { type: ['integer', 'string'], minimum: 3 }, b: { type: 'string' } } },
        { anyOf: [{ required: ['b'] }, { properties: { a: { maximum: 5 } } }] },
      ],
      type: 'object',
    },
    valid: ['{"a":9,"b":""}', '{"a":5}'],
    invalid: ['{"a":9}', '{"a":2}', '{"a":null}', '{"b":""}'],
  },
  {
    name: 'a type beside branches that demand properties',
    schema: {
      type: 'object',
      properties: { a: { type: 'null' }, b: { type: 'null' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    valid: ['{"a":null}', '{"b":null}', '{"a":null,"b":null}'],
    invalid: ['{}'],
  },
]

const values: readonly AcceptedSchema[] = [
  {
    name: 'named values, once or twice, of which some are not valid',
    schema: { enum: ['a', 'a', 1, null, { b: [1, '"'] }, 'long'], maxLength: 1 },
    valid: ['"a"', '1', 'null', '{"b":[1,"\\""]}'],
    invalid: ['"long"', '"b"', '{}'],
  },
  {
    name: 'values that two lists name',
    schema: { allOf: [{ enum: [1, 2, { a: 1, b: 2 }] }, { enum: [2, 3, { b: 2, a: 1 }] }] },
    valid: ['2'],
    invalid: ['1', '3'],
  },
  {
    name: 'a list of types',
    schema: { type: ['string', 'null'], maxLength: 2 },
    valid: ['null', '""', '"ab"', '"\\u00e9\\ud83d\\ude00"', '"😀😀"'],
    invalid: ['"abc"', '1'],
  },
  {
    name: 'a pattern that is a search',
    schema: { type: 'string', pattern: 'o{2}', minLength: 4, maxLength: 6 },
    valid: ['"foo1"', '"xfoo12"'],
    invalid: ['"foo"', '"fo1o1"', '"xfoo123"'],
  },
  {
    name: 'a pattern with what JSON has to escape',
    schema: { type: 'string', pattern: '^["\\\\\\n\\u{1}]+$' },
    valid: ['"\\"\\\\\\n\\u0001"'],
    invalid: ['""', '"a"', '"\\u0002"'],
  },
  { name: 'anything', schema: true, valid: ['1', '{}', '[[]]', '"a"'], invalid: ['', 'a'] },
  {
    name: 'notes that demand nothing',
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://x.example/y',
      title: 'T',
      default: 3,
      examples: [],
      'x-note': 1,
    },
    valid: ['1', '{}'],
  },
]

export const acceptedSchemas = [...objects, ...arrays, ...combinations, ...values]
