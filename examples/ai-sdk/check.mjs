/** What the AI SDK does with the real server, by each of its providers. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  APICallError,
  generateObject,
  generateText,
  isStepCount,
  jsonSchema,
  Output,
  streamText,
  tool,
} from 'ai'
import { z } from 'zod'
import * as service from '../../tests/examples/service.mjs'

const baseURL = `${service.rootUrl}/v1`
const compatible = { name: 'svc', baseURL, includeUsage: true, supportsStructuredOutputs: true }

/** A model of each provider, by key. */
const providers = {
  'openai responses': (apiKey) => createOpenAI({ baseURL, apiKey }).responses(service.model),
  'openai chat': (apiKey) => createOpenAI({ baseURL, apiKey }).chat(service.model),
  anthropic: (apiKey) => createAnthropic({ baseURL, apiKey })(service.model),
  'openai-compatible': (apiKey) => createOpenAICompatible({ ...compatible, apiKey })(service.model),
}
const Person = z.object({ name: z.string(), age: z.int() })

for (const [name, modelOf] of Object.entries(providers)) {
  describe(name, () => {
    const model = modelOf(service.apiKey)
    const asked = { model, temperature: 0, maxOutputTokens: 200, prompt: service.question }
    checkAnswers(asked)
    checkTools(asked)
    checkSchemas(asked)
    checkAbort(asked)
    checkRefusals(asked, modelOf)
  })
}

/** How thinking is asked for, and whether the provider shows it. */
const thoughtful = [
  ['openai responses', { openai: { ...reasoning(), reasoningSummary: 'auto' } }, true],
  [
    'openai responses',
    { openai: { ...reasoning(), reasoningSummary: 'auto', store: false } },
    true,
  ],
  ['openai chat', { openai: reasoning() }, false],
  ['anthropic', { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } }, true],
  ['openai-compatible', { svc: { reasoningEffort: 'high' } }, true],
]

/** The bundled toy draws its words at random, and now and then it does not think first. */
async function thoughtfulAnswer(asked) {
  for (let tries = 1; ; tries += 1) {
    const answer = await generateText(asked)
    if (answer.usage.outputTokenDetails.reasoningTokens > 0 || tries === 3) return answer
  }
}

for (const [name, providerOptions, shown] of thoughtful) {
  const options = JSON.stringify(providerOptions)
  test(`${name}: a conversation goes on after thinking, ${options}`, async () => {
    const model = providers[name](service.apiKey)
    const asked = { model, providerOptions, maxOutputTokens: 1500 }
    const first = { role: 'user', content: 'Which number is larger, 45 or 54?' }
    const before = await thoughtfulAnswer({ ...asked, messages: [first] })
    assert.ok(before.usage.outputTokenDetails.reasoningTokens > 0)
    if (shown) assert.match(before.reasoningText, /\w/)
    const next = { role: 'user', content: 'Who painted the Mona Lisa?' }
    const messages = [first, ...before.response.messages, next]
    const after = await generateText({ ...asked, messages })
    assert.match(after.text, /\w/)
    assert.ok(after.usage.inputTokens > before.usage.inputTokens)
  })
}

/** The provider does not know the model, and has to be told that it thinks. */
function reasoning() {
  return { reasoningEffort: 'high', forceReasoning: true }
}

function checkAnswers(asked) {
  test('a plain answer, billed as its usage says', async () => {
    let result
    const receipt = await service.receiptOfOne(async () => {
      result = await generateText(asked)
    })
    assert.match(result.text, service.answer)
    assert.equal(result.finishReason, 'stop')
    assertBilled(receipt, result.usage)
  })

  test('a stream, billed as its usage says', async () => {
    let usage
    const deltas = []
    const receipt = await service.receiptOfOne(async () => {
      const result = streamText(asked)
      for await (const delta of result.textStream) deltas.push(delta)
      usage = await result.usage
    })
    assert.match(deltas.join(''), service.answer)
    assert.ok(deltas.length > 1)
    assertBilled(receipt, usage)
  })
}

function checkTools(asked) {
  const prompt = service.weatherQuestion
  const stopWhen = isStepCount(3)

  test('a loop of tools', async () => {
    const cities = []
    const tools = { get_weather: weather(cities) }
    const result = await generateText({ ...asked, prompt, tools, stopWhen })
    assert.match(result.text, service.weatherAnswer)
    assert.deepEqual(cities, ['Paris'])
    assert.equal(result.steps.length, 2)
  })

  test('a loop of tools, streamed', async () => {
    const cities = []
    const tools = { get_weather: weather(cities) }
    const result = streamText({ ...asked, prompt, tools, stopWhen })
    assert.match(await result.text, service.weatherAnswer)
    assert.deepEqual(cities, ['Paris'])
  })

  test('a call that is forced', async () => {
    const tools = { get_weather: weather([]) }
    const toolChoice = { type: 'tool', toolName: 'get_weather' }
    const { toolCalls, finishReason } = await generateText({ ...asked, prompt, tools, toolChoice })
    assert.deepEqual(toolCalls[0].input, { city: 'Paris' })
    assert.equal(finishReason, 'tool-calls')
  })
}

function checkSchemas(asked) {
  const prompt = service.personText

  test('an object, generated and validated', async () => {
    const { object } = await generateObject({ ...asked, prompt, schema: Person })
    assertPerson(object)
  })

  test('an object as the output of a stream', async () => {
    const output = Output.object({ schema: Person })
    const result = streamText({ ...asked, prompt, output })
    assertPerson(await result.output)
  })
}

function checkAbort(asked) {
  test('a stream that is aborted', async () => {
    const abort = new AbortController()
    const attempts = await service.attemptsOf(async () => {
      const result = streamText({
        ...asked,
        prompt: service.longQuestion,
        maxOutputTokens: service.LONG_TOKENS_MAX,
        output: Output.object({ schema: jsonSchema(service.longSchema) }),
        abortSignal: abort.signal,
      })
      for await (const part of result.stream) {
        if (part.type === 'text-delta') abort.abort()
      }
    })
    await service.assertStopped(attempts)
  })
}

function checkRefusals(asked, modelOf) {
  const refusal = (status) => (error) =>
    APICallError.isInstance(error) && error.statusCode === status && !error.isRetryable

  test('400 is an APICallError, tried once', async () => {
    const maxOutputTokens = 1_000_000
    await service.assertRefusedOnce(
      () => generateText({ ...asked, maxOutputTokens }),
      400,
      refusal(400),
    )
  })

  test('401 is an APICallError, tried once', async () => {
    const model = modelOf(service.wrongApiKey)
    await service.assertRefusedOnce(() => generateText({ ...asked, model }), 401, refusal(401))
  })

  test('402 is an APICallError that says why, tried once', async () => {
    const model = modelOf(service.emptyApiKey)
    const isRefusal = (error) => refusal(402)(error) && /balance|credit/i.test(error.message)
    await service.assertRefusedOnce(() => generateText({ ...asked, model }), 402, isRefusal)
  })
}

function weather(cities) {
  return tool({
    description: 'Get the current weather for a city',
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => cities.push(city) && JSON.parse(service.weatherResult),
  })
}

/** The age is the model's own: by a tool, which the Anthropic provider makes of it, it errs. */
function assertPerson(object) {
  assert.equal(object.name, service.person.name)
  assert.equal(Number.isInteger(object.age), true)
}

function assertBilled(receipt, { inputTokens: input, outputTokens: output }) {
  service.assertBilled(receipt, { input, output })
}
