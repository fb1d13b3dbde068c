/**
 * The promise: whatever follows the grammar of a schema to its end is valid for the schema.
 * `SVC_SCHEMA_FUZZ` says how many random schemas are tried.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GbnfSampler } from '../../../testing/grammar/gbnf-sampler.ts'
import { randomSchema } from '../../../testing/grammar/random-schema.ts'
import { randomOf, schemaValidator } from '../../../testing/grammar/schema-validator.ts'
import { GrammarRules } from '../gbnf/gbnf.ts'
import { addSchema } from './json-schema.ts'
import type { JsonSchema } from './schema-document.ts'
import { UnsupportedSchema } from './unsupported-schema.ts'

const SCHEMAS = Number(process.env.SVC_SCHEMA_FUZZ ?? 300)
const BROKEN_SCHEMAS = Math.ceil(SCHEMAS / 3)
const MS_EACH = 200
const TEXTS_PER_SCHEMA = 6
/** About every second random schema contradicts itself somewhere, and is refused. */
const SKIPS_PER_SCHEMA_MAX = 5

function nameOrSkip(
  rules: GrammarRules,
  schema: JsonSchema,
  unsupported: 'refuse' | 'strip' = 'refuse',
): string {
  try {
    return addSchema(rules, schema, { unsupported })
  } catch (error) {
    expect(error).toBeInstanceOf(UnsupportedSchema)
    // What is too large, or read in too many ways, is refused in any case.
    if (unsupported === 'strip') expect(error).toMatchObject({ keyword: 'size' })
    return fc.pre(false) ?? ''
  }
}

describe('the validator that judges', () => {
  it('tells patterns apart, also those of schemas that it saw before', () => {
    const patterns = ['^a$', '^b$', '[^a]$', '^.{2,5}$']
    const properties = Object.fromEntries(patterns.map((pattern) => [pattern, { pattern }]))
    for (let again = 0; again < 2; again += 1) {
      const valid = schemaValidator({ properties })
      expect(valid('{"^a$":"a","^b$":"b","[^a]$":"😀","^.{2,5}$":"ab"}')).toBeNull()
      for (const pattern of patterns) {
        expect(valid(JSON.stringify({ [pattern]: pattern === '^a$' ? 'b' : 'a' }))).not.toBeNull()
      }
    }
  })
})

describe('whatever follows the grammar of a schema', () => {
  const timeout = 180_000 + SCHEMAS * MS_EACH
  it(`is valid, for ${SCHEMAS} random schemas that are not refused`, { timeout }, () => {
    const property = fc.property(randomSchema, fc.integer(), (schema, seed) => {
      const rules = new GrammarRules()
      const sampler = new GbnfSampler(rules.text(nameOrSkip(rules, schema)))
      const valid = schemaValidator(schema)
      const random = randomOf(seed)
      for (let text = 0; text < TEXTS_PER_SCHEMA; text += 1) {
        const json = sampler.draw(random, 3 + text * 3)
        expect([json, valid(json)]).toEqual([json, null])
      }
    })
    fc.assert(property, { numRuns: SCHEMAS, maxSkipsPerRun: SKIPS_PER_SCHEMA_MAX })
  })

  it('is JSON, whatever was left out of the schema', { timeout }, () => {
    const odd = fc.constantFrom(
      ...[{ not: {} }, { multipleOf: 2 }, { pattern: '(?=a)' }, { uniqueItems: true }],
      ...[{ $ref: '#' }, { $ref: '#/$defs/a' }, { type: 7 }, { properties: 3 }, { items: [true] }],
      ...[{ allOf: [false] }, { enum: [] }, { oneOf: [true, true] }, { required: ['x', 1] }],
    )
    const property = fc.property(randomSchema, odd, odd, fc.integer(), (schema, a, b, seed) => {
      const rules = new GrammarRules()
      const broken = { ...schema, ...a, $defs: { a: { ...schema, ...b }, b: { ...b, ...a } } }
      const name = nameOrSkip(rules, broken, 'strip')
      const sampler = new GbnfSampler(rules.text(name))
      for (const size of [3, 9]) JSON.parse(sampler.draw(randomOf(seed), size))
    })
    fc.assert(property, { numRuns: BROKEN_SCHEMAS })
  })
})
