/** Calls of tools and answers in a format, as the demo model makes them under its grammars. */
import type { ToolUse } from '@svc/contracts/worker/protocol'
import { COLD, THINKING, user } from '@svc/testing/protocol-client'
import { describe, expect, it } from 'vitest'
import { demoWorker } from '../testing/demo-worker.ts'
import { schemaValidator } from '../testing/grammar/schema-validator.ts'

const worker = demoWorker()

const weather = {
  name: 'get_current_weather',
  description: 'Get the current weather in a given location',
  parameters: {
    type: 'object',
    properties: {
      location: { type: 'string', description: 'The city and state, e.g. San Francisco, CA' },
      unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    },
    required: ['location'],
  },
}
const alarm = {
  name: 'set_alarm',
  description: 'Set an alarm clock',
  parameters: {
    type: 'object',
    properties: { time: { type: 'string' }, label: { type: 'string' } },
    required: ['time', 'label'],
    additionalProperties: false,
  },
}
const toolUse = (changes: Partial<ToolUse> = {}): ToolUse => ({
  tools: [weather, alarm],
  choice: 'auto',
  callable: null,
  parallel: true,
  ...changes,
})
const BOSTON = [user("What's the weather like in Boston today?")]
const CAPITAL = [user('What is the capital city of Norway?')]
/** The token `<|im_start|>` of the demo model. */
const START_OF_TURN = 2042
const BRACKET = '['.charCodeAt(0)
const TOOL_CALLS = { type: 'done', finishReason: 'tool_calls', stopText: null }

describe('a model with tools', () => {
  it('calls one where that helps', async () => {
    const { text, calls, last, meter, outputTokens } = await worker().generate(BOSTON, {
      toolUse: toolUse(),
    })
    expect(calls.map(({ name }) => name)).toEqual(['get_current_weather'])
    expect(JSON.parse(calls[0]?.arguments ?? '')).toMatchObject({
      location: expect.stringContaining('Boston'),
    })
    expect([text, last]).toEqual(['', TOOL_CALLS])
    expect(meter?.outputTokens).toBe(outputTokens)
  })

  it('calls several at once where it may', async () => {
    const asked = [user('What is the weather in Paris and Rome?')]
    const both = await worker().generate(asked, { toolUse: toolUse({ tools: [weather] }) })
    const cities = both.calls.map((call) => JSON.parse(call.arguments).location)
    expect(cities).toEqual(['Paris', 'Rome'])
    const one = await worker().generate(asked, {
      toolUse: toolUse({ tools: [weather], parallel: false }),
    })
    expect([one.calls.length, one.last]).toEqual([1, TOOL_CALLS])
  })

  it('answers in words where no tool helps', async () => {
    const { text, calls, last } = await worker().generate([user('Who are you?')], {
      toolUse: toolUse(),
    })
    expect(text).toContain('demo model')
    expect([calls, last]).toEqual([[], { ...TOOL_CALLS, finishReason: 'stop' }])
  })

  it('calls the tool that it must, also where it does not help', async () => {
    const { text, calls, last } = await worker().generate(CAPITAL, {
      toolUse: toolUse({ choice: 'required', callable: ['set_alarm'], parallel: false }),
    })
    expect(calls.map(({ name }) => name)).toEqual(['set_alarm'])
    expect(schemaValidator(alarm.parameters)(calls[0]?.arguments ?? '')).toBeNull()
    expect([text, last]).toEqual(['', TOOL_CALLS])
  })

  it('thinks before a call that it must make', async () => {
    const { reasoning, text, calls, last, meter } = await worker().generate(BOSTON, {
      toolUse: toolUse({ choice: 'required', parallel: false }),
      thinking: THINKING,
    })
    expect(reasoning.length).toBeGreaterThan(0)
    expect([text, calls.length, last]).toEqual(['', 1, TOOL_CALLS])
    expect(meter?.reasoningTokens).toBeLessThan(meter?.outputTokens ?? 0)
  })

  it('that may not call says what it would have said', async () => {
    const { calls, last } = await worker().generate(BOSTON, {
      toolUse: toolUse({ choice: 'none' }),
    })
    expect([calls, last]).toEqual([[], { ...TOOL_CALLS, finishReason: 'stop' }])
  })

  it('reads the result of its call', async () => {
    const call = { id: 'c1', name: weather.name, arguments: '{"location": "Paris"}' }
    const { text } = await worker().generate(
      [
        user('What is the weather in Paris?'),
        { role: 'assistant', content: '', toolCalls: [call] },
        {
          role: 'tool',
          name: weather.name,
          toolCallId: 'c1',
          content: '{"temperature": 19, "condition": "cloudy"}',
        },
      ],
      { toolUse: toolUse({ tools: [weather] }) },
    )
    expect(text).toMatch(/19|cloudy/)
  })

  it('whose tokens run out in a call gives what there is of its arguments', async () => {
    const whole = await worker().generate(BOSTON, { toolUse: toolUse() })
    const cut = await worker().generate(BOSTON, {
      toolUse: toolUse(),
      maxOutputTokens: whole.outputTokens - 4,
    })
    expect(cut.last).toMatchObject({ finishReason: 'length' })
    expect(whole.calls[0]?.arguments.startsWith(cut.calls[0]?.arguments ?? '?')).toBe(true)
  })

  it('never ends a call at a stop text', async () => {
    const { calls, last } = await worker().generate(BOSTON, { toolUse: toolUse(), stop: ['"'] })
    expect([calls.length, last]).toEqual([1, TOOL_CALLS])
  })

  it('calls the same, cached or not', async () => {
    const long = [user(`${'The library opens at nine. '.repeat(40)}${BOSTON[0]?.content}`)]
    const asked = { toolUse: toolUse({ choice: 'required' }), tenant: 'tools' } as const
    const cold = await worker().generate(long, asked)
    const warm = await worker().generate(long, asked)
    const foreign = await worker().generate(long, { ...asked, tenant: 'other' })
    expect(warm.meter?.cachedInputTokens).toBeGreaterThan(0)
    expect([warm.calls, foreign.calls]).toEqual([cold.calls, cold.calls])
  })
})

describe('an answer in a format', () => {
  const person = {
    type: 'object',
    properties: { name: { type: 'string', maxLength: 20 }, age: { type: 'integer', minimum: 0 } },
    required: ['name', 'age'],
    additionalProperties: false,
  }
  const strict = { type: 'json_schema', schema: person } as const

  it.each([0, 0.8, 2])('is valid at temperature %f', async (temperature) => {
    const { text, last } = await worker().generate([user('Tell me about Ingrid as JSON')], {
      outputFormat: strict,
      sampling: { ...COLD, temperature },
      maxOutputTokens: 400,
    })
    expect(last).toMatchObject({ finishReason: 'stop' })
    expect(schemaValidator(person)(text)).toBeNull()
  })

  it('is any JSON object where no more is asked for', async () => {
    const { text, last } = await worker().generate([user('List three animals as JSON.')], {
      outputFormat: { type: 'json' },
    })
    expect(last).toMatchObject({ finishReason: 'stop' })
    expect(JSON.parse(text)).toBeTypeOf('object')
  })

  it.each([null, 0, 6])('comes after thinking with a budget of %s', async (budgetTokens) => {
    const { text, reasoning, last } = await worker().generate(
      [user('Which number is larger, 45 or 54?')],
      { outputFormat: strict, thinking: { ...THINKING, budgetTokens }, maxOutputTokens: 500 },
    )
    expect(reasoning === '').toBe(budgetTokens === 0)
    expect(last).toMatchObject({ finishReason: 'stop' })
    expect(schemaValidator(person)(text)).toBeNull()
  })

  it('is a call where a tool helps', async () => {
    const { text, calls, last } = await worker().generate(BOSTON, {
      toolUse: toolUse(),
      outputFormat: strict,
      maxOutputTokens: 400,
    })
    if (calls.length === 0) expect(schemaValidator(person)(text)).toBeNull()
    else expect([text, last]).toEqual(['', TOOL_CALLS])
  })

  it('has no control token where its text could stand', async () => {
    const schema = { type: 'string', enum: ['<|im_start|>', '<|endoftext|>'] }
    const { text } = await worker().generate(CAPITAL, {
      outputFormat: { type: 'json_schema', schema },
      logitBias: [[START_OF_TURN, 100]],
    })
    expect(schema.enum).toContain(JSON.parse(text))
  })

  it('has unusual characters in their own bytes only', async () => {
    const schema = {
      type: 'string',
      enum: ['\u{26C0}\u{1FAE7}\u{43E}\u{120CB}', '\u{13094}\u{800}'],
    }
    for (let seed = 0; seed < 20; seed += 1) {
      const { text } = await worker().generate(CAPITAL, {
        outputFormat: { type: 'json_schema', schema },
        sampling: { ...COLD, temperature: 2, seed },
      })
      expect(schema.enum).toContain(JSON.parse(text))
    }
  })

  it('that leaves no token fails, and nothing else does', async () => {
    const other = worker().generate(CAPITAL)
    const grammar = 'root ::= "ab" [\\x00]'
    const { text, last, meter } = await worker().generate(CAPITAL, {
      plan: { grammar, grammarFrom: 'answer', callable: [], mustCall: false },
      sampling: { ...COLD, temperature: 1 },
    })
    expect([text, last]).toMatchObject(['ab', { type: 'error', code: 'grammar_stuck' }])
    expect(meter?.outputTokens).toBeGreaterThan(0)
    expect((await other).text).toContain('Oslo')
  })

  it('that is too costly to follow fails, and nothing else does', async () => {
    const grammar = 'root ::= a\na ::= "[" a b | "[" a c | "."\nb ::= "]"\nc ::= "]" "]"\n'
    const { tokens } = await worker().prepare([user('[')])
    const bracket = tokens.find((token) => token === BRACKET)
    expect(bracket).toBe(BRACKET)
    const { last } = await worker().generate(CAPITAL, {
      plan: { grammar, grammarFrom: 'answer', callable: [], mustCall: false },
      logitBias: [[BRACKET, 100]],
    })
    expect(last).toMatchObject({ type: 'error', code: 'grammar_too_costly' })
    expect((await worker().generate(CAPITAL)).text).toContain('Oslo')
  })

  it('that cannot be enforced is refused, and the keyword is named', async () => {
    const schema = { type: 'object', properties: { n: { type: 'number', multipleOf: 3 } } }
    const { status, body } = await worker().call('POST', '/prepare', {
      tenant: 'tenant-a',
      messages: CAPITAL,
      thinking: THINKING,
      toolUse: null,
      outputFormat: { type: 'json_schema', schema },
    })
    expect([status, body]).toMatchObject([
      ...[
        400,
        {
          error: {
            code: 'unsupported_schema',
            message: expect.stringContaining('properties.n.multipleOf'),
          },
        },
      ],
    ])
  })
})
