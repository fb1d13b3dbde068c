/**
 * What the model writes under a grammar is valid, whatever the schema: formats of answers, and
 * arguments of calls. `SVC_SCHEMA_RUNS` says how many random schemas are tried.
 */
import type { ToolUse } from '@svc/contracts/worker/protocol'
import { COLD, type Outcome, PLAIN, user } from '@svc/testing/protocol-client'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { demoWorker } from '../testing/demo-worker.ts'
import { randomSchema } from '../testing/grammar/random-schema.ts'
import { schemaValidator } from '../testing/grammar/schema-validator.ts'

const RUNS = Number(process.env.SVC_SCHEMA_RUNS ?? 20)
const RUN_MS_MAX = 5_000
const TOKENS_MAX = 400
const WORDS = [user('Write a short story about a fox named Mira')]

const worker = demoWorker()
type Schema = Record<string, unknown>

const anyCase = fc.record({
  schema: randomSchema.map((schema) => ({ ...schema }) as Schema),
  seed: fc.nat(),
  temperature: fc.constantFrom(0, 0.7, 1.5),
})

/** Arguments with one member of the schema, whose references go to the arguments' definitions. */
function argumentsSchema({ $defs, ...value }: Schema): Schema {
  return {
    type: 'object',
    properties: { value },
    required: ['value'],
    additionalProperties: false,
    $defs,
  }
}

async function canBeEnforced(schema: Schema): Promise<boolean> {
  const outputFormat = { type: 'json_schema', schema }
  const asked = { ...PLAIN, messages: WORDS, outputFormat }
  const { status, body } = await worker().call('POST', '/prepare', asked)
  if (status === 200) return true
  expect([status, body]).toMatchObject([400, { error: { code: 'unsupported_schema' } }])
  return false
}

describe(`under ${RUNS} random schemas`, () => {
  const tried = { refused: 0, cut: 0, givenUp: 0, valid: 0 }
  /** @returns whether the answer came to its end: within its tokens, by a grammar of fair cost */
  const ended = ({ last }: Outcome, reason: 'stop' | 'tool_calls'): boolean => {
    if (last?.type === 'done' && last.finishReason === 'length') tried.cut += 1
    else if (last?.type === 'error' && last.code === 'failed') tried.givenUp += 1
    else {
      expect(last).toEqual({ type: 'done', finishReason: reason, stopText: null })
      return true
    }
    return false
  }
  const judge = (json: string, schema: Schema) => {
    expect(schemaValidator(schema)(json)).toBeNull()
    tried.valid += 1
  }

  it('answers are valid', { timeout: RUNS * RUN_MS_MAX }, async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async ({ schema, seed, temperature }) => {
        if (!(await canBeEnforced(schema))) {
          tried.refused += 1
          return
        }
        const answer = await worker().generate(WORDS, {
          outputFormat: { type: 'json_schema', schema },
          maxOutputTokens: TOKENS_MAX,
          sampling: { ...COLD, temperature, seed },
        })
        if (ended(answer, 'stop')) judge(answer.text, schema)
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  })

  it('arguments are valid', { timeout: RUNS * RUN_MS_MAX }, async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async ({ schema: value, seed, temperature }) => {
        const schema = argumentsSchema(value)
        const toolUse: ToolUse = {
          tools: [{ name: 'record', parameters: schema }],
          choice: 'required',
          callable: null,
          parallel: false,
        }
        const enforced = await canBeEnforced(schema)
        const answer = await worker().generate(WORDS, {
          toolUse,
          maxOutputTokens: TOKENS_MAX,
          sampling: { ...COLD, temperature, seed },
        })
        expect([answer.text, answer.calls.length]).toEqual(['', 1])
        const [call] = answer.calls
        if (!ended(answer, 'tool_calls') || call === undefined) return
        if (enforced) judge(call.arguments, schema)
        else expect(JSON.parse(call.arguments)).toBeTypeOf('object')
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  })

  it('most of them come to an end', () => {
    expect(tried.valid).toBeGreaterThan(RUNS / 2)
    expect(tried.givenUp).toBeLessThanOrEqual(RUNS / 50)
    if (RUNS > 100) process.stdout.write(`${JSON.stringify(tried)}\n`)
  })
})
