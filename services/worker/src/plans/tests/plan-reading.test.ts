/** What follows a plan's grammar is read as what was planned, in the syntax of every family. */
import type { AnswerPlan, ToolUse } from '@svc/contracts/worker/protocol'
import { PLAIN, THINKING } from '@svc/testing/protocol-client'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GbnfAcceptance } from '../../../testing/grammar/gbnf-acceptance.ts'
import { GbnfSampler } from '../../../testing/grammar/gbnf-sampler.ts'
import { randomOf, schemaValidator } from '../../../testing/grammar/schema-validator.ts'
import { deepseek } from '../../prompt/families/deepseek.ts'
import type { Family } from '../../prompt/families/family.ts'
import { generic } from '../../prompt/families/generic.ts'
import { harmony } from '../../prompt/families/harmony.ts'
import { hermes } from '../../prompt/families/hermes.ts'
import { llama } from '../../prompt/families/llama.ts'
import { mistral } from '../../prompt/families/mistral.ts'
import type { Piece } from '../../prompt/reading/answer-reader.ts'
import { makePlan } from '../answer-plan.ts'

const families: readonly Family[] = [
  hermes('<think>'),
  generic('<think>'),
  llama(''),
  mistral(''),
  deepseek(''),
  harmony(),
]
const parameters = {
  type: 'object',
  properties: {
    city: { type: 'string', maxLength: 12 },
    days: { type: 'array', items: { type: 'integer', minimum: 0 }, maxItems: 3 },
    'odd "key"': { enum: ['</tool_call>', '{"}', '[TOOL_CALLS]'] },
  },
  required: ['city'],
  additionalProperties: false,
}
const tools = [
  { name: 'get_weather', parameters },
  { name: 'odd-name.2', parameters },
]
const toolUse = (choice: ToolUse['choice'], parallel: boolean): ToolUse => ({
  tools,
  choice,
  callable: null,
  parallel,
})
const isValid = schemaValidator(parameters)

interface Reading {
  text: string
  readonly calls: { name: string; arguments: string }[]
}

function read(family: Family, plan: AnswerPlan, answer: string, cut: number): Reading {
  const reader = family.answerReader({ ...plan, inReasoning: false })
  const pieces: Piece[] = []
  for (let at = 0; at < answer.length; at += cut)
    pieces.push(...reader.push(answer.slice(at, at + cut)))
  pieces.push(...reader.end(false))
  const reading: Reading = { text: '', calls: [] }
  for (const piece of pieces) {
    const last = reading.calls.at(-1)
    if (piece.kind === 'call') reading.calls.push({ name: piece.name, arguments: '' })
    else if (piece.kind === 'arguments' && last !== undefined) last.arguments += piece.text
    else reading.text += piece.text
  }
  return reading
}

const drawn = fc.record({ seed: fc.nat(), cut: fc.integer({ min: 1, max: 30 }) })

describe.each(families.map((family) => [family.name, family] as const))('%s', (_name, family) => {
  const planFor = (asked: object) => makePlan(family, { ...PLAIN, ...asked })

  it.each([true, false])('calls that must be made are read as calls, parallel: %s', (parallel) => {
    const plan = planFor({ toolUse: toolUse('required', parallel) })
    const sampler = new GbnfSampler(plan.grammar ?? '')
    fc.assert(
      fc.property(drawn, ({ seed, cut }) => {
        const { text, calls } = read(family, plan, sampler.draw(randomOf(seed), 12), cut)
        expect(text).toBe('')
        expect(calls.length).toBeGreaterThan(0)
        if (!parallel) expect(calls).toHaveLength(1)
        for (const call of calls) {
          expect(plan.callable).toContain(call.name)
          expect(isValid(call.arguments)).toBeNull()
        }
      }),
    )
  })

  it('an answer in a format is read as its text', () => {
    const plan = planFor({ outputFormat: { type: 'json_schema', schema: parameters } })
    const sampler = new GbnfSampler(plan.grammar ?? '')
    fc.assert(
      fc.property(drawn, ({ seed, cut }) => {
        const { text, calls } = read(family, plan, sampler.draw(randomOf(seed), 12), cut)
        expect([calls, isValid(text)]).toEqual([[], null])
      }),
    )
  })

  it('a call that may be made goes on from each of its openings', () => {
    const plan = planFor({ toolUse: toolUse('auto', true), thinking: THINKING })
    const grammar = new GbnfSampler(plan.grammar ?? '')
    fc.assert(
      fc.property(drawn, ({ seed }) => {
        const call = grammar.draw(randomOf(seed), 12)
        const reader = family.answerReader({ ...plan, inReasoning: false })
        let fed = ''
        for (const character of call) {
          fed += character
          reader.push(character)
          if (reader.phase === 'call') break
        }
        // What the reader says of the call is where a grammar that begins late has to go on.
        expect(fed.endsWith(reader.callText)).toBe(true)
        const rest = call.slice(fed.length)
        expect(new GbnfAcceptance(plan.grammar ?? '').accepts(reader.callText + rest)).toBe(true)
      }),
      { numRuns: 20 },
    )
  })
})
