/**
 * That no text is followed in more ways than the bound says, which is what llama.cpp keeps.
 * `SVC_SCHEMA_FUZZ` says how many random schemas are tried.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { acceptedSchemas } from '../../../testing/grammar/accepted-schemas.ts'
import { branches, nestedBranches } from '../../../testing/grammar/ambiguous-schemas.ts'
import { GbnfAcceptance } from '../../../testing/grammar/gbnf-acceptance.ts'
import { GbnfSampler } from '../../../testing/grammar/gbnf-sampler.ts'
import { randomSchema } from '../../../testing/grammar/random-schema.ts'
import { randomOf, schemaValidator } from '../../../testing/grammar/schema-validator.ts'
import { addSchema } from '../schema/json-schema.ts'
import type { JsonSchema } from '../schema/schema-document.ts'
import { defaultSchemaLimits } from '../schema/schema-limits.ts'
import { UnsupportedSchema } from '../schema/unsupported-schema.ts'
import { GrammarRules } from './gbnf.ts'

const SCHEMAS = Number(process.env.SVC_SCHEMA_FUZZ ?? 100)
const MS_EACH = 1200
const TEXTS = 4
const WALKS = 3
const WALK_CHARACTERS = 60

/** @returns the smallest bound that takes the schema, with its grammar; undefined for none */
function bounded(schema: JsonSchema): { grammar: string; stacks: number } | undefined {
  let [refused, stacks] = [0, defaultSchemaLimits.stacksMax]
  let grammar = grammarWithin(schema, stacks)
  while (grammar !== undefined && stacks - refused > 1) {
    const tried = Math.floor((refused + stacks) / 2)
    const smaller = grammarWithin(schema, tried)
    if (smaller === undefined) refused = tried
    else [stacks, grammar] = [tried, smaller]
  }
  return grammar === undefined ? undefined : { grammar, stacks }
}

function grammarWithin(schema: JsonSchema, stacksMax: number): string | undefined {
  const rules = new GrammarRules()
  const limits = { ...defaultSchemaLimits, stacksMax }
  try {
    return rules.text(addSchema(rules, schema, { unsupported: 'refuse', limits }))
  } catch (error) {
    if (!(error instanceof UnsupportedSchema)) throw error
    return undefined
  }
}

const refusal = (schema: JsonSchema) => {
  try {
    addSchema(new GrammarRules(), schema, { unsupported: 'refuse' })
  } catch (error) {
    return error
  }
  return undefined
}

describe('the bound on ways of reading', () => {
  it.each(acceptedSchemas)('is kept: $name', ({ schema, valid }) => {
    const found = bounded(schema)
    expect(found?.stacks).toBeLessThanOrEqual(64)
    const acceptance = new GbnfAcceptance(found?.grammar ?? '')
    for (const text of valid) {
      expect(acceptance.stacksAlong(text)).toBeLessThanOrEqual(found?.stacks ?? 0)
    }
  })

  it.each([
    { schema: { type: 'number', maximum: 0 }, text: '-60393' },
    { schema: { type: 'number' }, text: '12' },
    { schema: { type: ['null', 'integer'] }, text: '-12' },
    { schema: { enum: [1, 12, 123] }, text: '12' },
  ])('counts the end beside a number that may go on: $schema', ({ schema, text }) => {
    const found = bounded(schema)
    const stacks = new GbnfAcceptance(found?.grammar ?? '').stacksAlong(text)
    expect(found?.stacks).toBeGreaterThanOrEqual(stacks)
  })

  const timeout = 60_000 + SCHEMAS * MS_EACH
  it(`is kept by ${SCHEMAS} random schemas`, { timeout }, () => {
    let tried = 0
    const property = fc.property(randomSchema, fc.integer(), (schema, seed) => {
      const found = bounded(schema)
      if (found === undefined) return
      tried += 1
      const acceptance = new GbnfAcceptance(found.grammar)
      const sampler = new GbnfSampler(found.grammar)
      const random = randomOf(seed)
      for (let text = 0; text < TEXTS; text += 1) {
        const json = sampler.draw(random, 3 + 3 * text)
        expect(acceptance.stacksAlong(json.slice(0, 300))).toBeLessThanOrEqual(found.stacks)
      }
      for (let walk = 0; walk < WALKS; walk += 1) {
        const widest = acceptance.mostStacks(random, WALK_CHARACTERS)
        expect(widest.stacks, widest.text).toBeLessThanOrEqual(found.stacks)
      }
    })
    fc.assert(property, { numRuns: SCHEMAS })
    expect(tried).toBeGreaterThan(SCHEMAS / 4)
  })

  it.each([100, 129, 256, 300, 5000, 70_000])('is kept by texts of up to %i', (maxLength) => {
    const found = bounded({ type: 'string', maxLength, minLength: 3 })
    const acceptance = new GbnfAcceptance(found?.grammar ?? '')
    for (const text of ['a', '\\n', '\\ud83d\\ude00']) {
      const most = acceptance.stacksAlong(`"${text.repeat(Math.min(maxLength, 3000))}`)
      expect(most).toBeLessThanOrEqual(found?.stacks ?? 0)
    }
  })
})

describe('branches that begin alike', () => {
  const object = (properties: Record<string, JsonSchema>) => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  })

  it('are written once, as far as they do', () => {
    const kinds = ['circle', 'cube', 'sphere', 'square']
    const schema = { anyOf: kinds.map((kind) => object({ kind: { const: kind }, [kind]: {} })) }
    const { grammar = '', stacks } = bounded(schema) ?? {}
    expect(grammar.match(/kind/g)).toHaveLength(1)
    expect(stacks).toBeLessThanOrEqual(16)
    const acceptance = new GbnfAcceptance(grammar)
    expect(acceptance.stacksAlong('{"kind": "')).toBeLessThanOrEqual(3)
    expect(acceptance.accepts('{"kind":"cube","cube":1}')).toBe(true)
    expect(acceptance.accepts('{"kind":"cube","square":1}')).toBe(false)
  })

  it('on every level do not multiply', () => {
    for (const levels of [1, 2, 3]) {
      const found = bounded(nestedBranches(6, levels))
      expect(found?.stacks).toBeLessThanOrEqual(16)
      const json = new GbnfSampler(found?.grammar ?? '').draw(randomOf(levels), 40)
      expect(schemaValidator(nestedBranches(6, levels))(json)).toBeNull()
    }
  })

  it('of a tree that holds itself are told apart by their kinds', () => {
    const node = { $ref: '#/$defs/node' }
    const schema = {
      ...node,
      $defs: {
        node: {
          anyOf: [
            object({ kind: { const: 'number' }, value: { type: 'number' } }),
            object({ kind: { const: 'sum' }, left: node, right: node }),
            object({ kind: { const: 'not' }, of: node }),
          ],
        },
      },
    }
    expect(bounded(schema)?.stacks).toBeLessThanOrEqual(16)
  })

  it('and hold each other are refused', () => {
    const [a, b] = [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }]
    const either = (name: string) => ({
      anyOf: [
        object({ next: a, [`${name}1`]: {} }),
        object({ next: b, [`${name}2`]: {} }),
        { type: 'null' },
      ],
    })
    const schema = { properties: { list: a }, $defs: { a: either('a'), b: either('b') } }
    const error = refusal(schema)
    expect(error).toBeInstanceOf(UnsupportedSchema)
    expect(error).toMatchObject({ keyword: 'size' })
  })

  it('that cannot be brought together are refused when they are too many', () => {
    // Texts of different lengths: all of them are followed until their ends.
    const texts = (count: number) => ({
      anyOf: Array.from({ length: count }, (_, index) => ({
        type: 'string',
        maxLength: 3 + index,
      })),
    })
    expect(refusal(texts(10))).toBeUndefined()
    expect(refusal(texts(200))).toMatchObject({
      keyword: 'size',
      reason: 'can be read in more than 256 ways at once',
    })
    const pairs = { anyOf: branches(12, (index) => texts(20 + index)) }
    expect(refusal(pairs)).toMatchObject({ keyword: 'size' })
  })
})
