/** That llama.cpp reads the grammars as they are meant, and that what a model writes is valid. */

import { demoModelPath } from '@svc/infra/demo-model/demo-model'
import { COLD } from '@svc/testing/protocol-client'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acceptedSchemas } from '../../../testing/grammar/accepted-schemas.ts'
import { GbnfSampler } from '../../../testing/grammar/gbnf-sampler.ts'
import { randomSchema } from '../../../testing/grammar/random-schema.ts'
import { randomOf, schemaValidator } from '../../../testing/grammar/schema-validator.ts'
import { BadGrammar, type Engine } from '../../engines/engine.ts'
import { startLlama } from '../../engines/llama/llama.ts'
import { GrammarBans, unfinishedCharacter } from '../../scheduling/grammar-bans.ts'
import { addAnyObject, addSchema } from '../schema/json-schema.ts'
import type { JsonSchema } from '../schema/schema-document.ts'
import { UnsupportedSchema } from '../schema/unsupported-schema.ts'
import { GrammarRules } from './gbnf.ts'

const CONTEXT_TOKENS = 1024
const OUTPUT_TOKENS_MAX = 300
const RANDOM_SCHEMAS = 60
const PROMPT = 'Tell me something as JSON: '

let engine: Engine

beforeAll(async () => {
  const started = await startLlama({
    modelPath: demoModelPath,
    contextSize: CONTEXT_TOKENS,
    contextSizeMax: CONTEXT_TOKENS,
    sequences: 1,
    threads: 1,
    gpu: 'off',
    log: () => {},
  })
  engine = started.engine
})

afterAll(() => engine.dispose())

function grammarOf(schema: JsonSchema): string {
  const rules = new GrammarRules()
  return rules.text(addSchema(rules, schema, { unsupported: 'refuse' }))
}

/** Whether some text of the grammar begins like this. */
const goesOn = (grammar: string, begun: string): boolean =>
  engine.startGrammar({ tenant: 'acct_1', grammar, begun }) !== null

/** @returns the whole answer, or null when it did not end in time */
async function answer(grammar: string, seed: number): Promise<string | null> {
  const [sequence] = engine.sequences
  const run = engine.startGrammar({ tenant: 'acct_1', grammar })
  if (sequence === undefined || run === null) throw new Error('there is nothing to begin with')
  const { vocabulary } = engine
  const prompt = vocabulary.tokenize(PROMPT, false, false)
  await sequence.truncate(0)
  await sequence.prefill(prompt.slice(0, -1), 'long')
  const bans = new GrammarBans(vocabulary, [])
  const drawn: number[] = []
  const bytes: number[] = []
  const draws = sequence.generate(prompt.slice(-1), {
    sampling: { ...COLD, temperature: 1, seed },
    grammar: () => run,
    bannedUnderGrammar: () => bans.after(unfinishedCharacter(bytes)),
    logitBias: [],
    logprobs: false,
    answered: () => drawn,
    alone: false,
  })
  for await (const { token } of draws) {
    if (vocabulary.isEndOfGeneration(token)) return vocabulary.detokenize(drawn, prompt)
    drawn.push(token)
    bytes.push(...(vocabulary.bytes(token) ?? []))
    if (drawn.length >= OUTPUT_TOKENS_MAX) return null
  }
  throw new Error('the grammar left no token')
}

describe('llama.cpp', () => {
  it('says so when it cannot read a grammar', () => {
    expect(() => goesOn('root ::= none\n', '')).toThrow(BadGrammar)
  })

  it.each(acceptedSchemas)(
    'reads the grammar as it is meant: $name',
    ({ schema, valid, invalid }) => {
      const grammar = grammarOf(schema)
      for (const text of valid) expect([text, goesOn(grammar, text)]).toEqual([text, true])
      // With a mark behind the grammar: only what it accepts whole goes on to the mark.
      const ended = grammar.replace(/^root ::= (.*)$/m, 'root ::= ($1) "\\x01"')
      for (const text of valid) expect([text, goesOn(ended, `${text}\u0001`)]).toEqual([text, true])
      for (const text of invalid ?? []) {
        expect([text, goesOn(ended, `${text}\u0001`)]).toEqual([text, false])
      }
    },
  )

  it('reads the grammars of random schemas, and takes what is drawn from them', () => {
    let read = 0
    const property = fc.property(randomSchema, fc.integer(), (schema, seed) => {
      const rules = new GrammarRules()
      try {
        const grammar = rules.text(addSchema(rules, schema, { unsupported: 'refuse' }))
        const text = new GbnfSampler(grammar).draw(randomOf(seed), 6)
        expect([text, goesOn(grammar, text)]).toEqual([text, true])
        read += 1
      } catch (error) {
        if (!(error instanceof UnsupportedSchema)) throw error
      }
    })
    fc.assert(property, { numRuns: RANDOM_SCHEMAS })
    expect(read).toBeGreaterThan(RANDOM_SCHEMAS / 4)
  })

  it.each<[string, JsonSchema]>([
    ['a long text', { type: 'string', minLength: 300, maxLength: 1_000_000 }],
    [
      'many optional properties',
      { properties: optional(200), additionalProperties: { type: 'null' } },
    ],
    [
      'many items',
      { type: 'array', items: { enum: ['a', 'b'] }, minItems: 500, maxItems: 100_000 },
    ],
    ['many levels', levels(60)],
    [
      'many branches',
      { anyOf: Array.from({ length: 300 }, (_, index) => ({ const: `value ${index}` })) },
    ],
  ])('reads a large grammar: %s', (_name, schema) => {
    expect(goesOn(grammarOf(schema), '')).toBe(true)
  })
})

describe('a model that draws at random', () => {
  it.each(acceptedSchemas)('writes valid JSON: $name', async ({ schema }) => {
    const json = await answer(grammarOf(schema), 5)
    if (json !== null) expect([json, schemaValidator(schema)(json)]).toEqual([json, null])
  })

  it('writes an object where any object is asked for', { timeout: 120_000 }, async () => {
    const rules = new GrammarRules()
    const grammar = rules.text(addAnyObject(rules))
    let whole = 0
    for (let seed = 0; seed < 10; seed += 1) {
      const json = await answer(grammar, seed)
      if (json === null) continue
      expect(JSON.parse(json)).toBeTypeOf('object')
      whole += 1
    }
    expect(whole).toBeGreaterThan(0)
  })
})

function optional(count: number): Record<string, JsonSchema> {
  const names = Array.from({ length: count }, (_, index) => `property ${index}`)
  return Object.fromEntries(names.map((name) => [name, { type: 'integer' }]))
}

function levels(count: number): JsonSchema {
  return Array.from({ length: count }).reduce<JsonSchema>(
    (inner) => ({ type: 'object', properties: { inner }, required: ['inner'] }),
    { type: 'null' },
  )
}
