/** The promise: whatever follows the grammar of a schema to its end is valid for the schema. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GrammarRules } from './gbnf.ts'
import { addSchema, type JsonSchema, UnsupportedSchema } from './json-schema.ts'
import { GbnfSampler } from './testing/gbnf-sampler.ts'
import { randomSchema } from './testing/random-schema.ts'
import { randomOf, schemaValidator } from './testing/schema-validator.ts'

const SCHEMAS = 1000
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

describe('whatever follows the grammar of a schema', () => {
  it(`is valid, for ${SCHEMAS} random schemas that are not refused`, { timeout: 180_000 }, () => {
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

  it('is JSON, whatever was left out of the schema', { timeout: 60_000 }, () => {
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
    fc.assert(property, { numRuns: 300 })
  })
})
