/** What LangChain does with the real server, in each of the formats that it speaks. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ChatAnthropic } from '@langchain/anthropic'
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { z } from 'zod'
import * as service from '../../tests/examples/service.mjs'

const configuration = { baseURL: `${service.rootUrl}/v1` }
const basics = { model: service.model, temperature: 0, configuration }

/** A model of each format, by settings. */
const formats = {
  'chat completions': (given) => new ChatOpenAI({ ...basics, ...given }),
  responses: (given) => new ChatOpenAI({ ...basics, ...given, useResponsesApi: true }),
  messages: (given) => new ChatAnthropic({ ...basics, ...given, anthropicApiUrl: service.rootUrl }),
}
const Person = z.object({ name: z.string(), age: z.int() })
const weather = tool(() => service.weatherResult, {
  name: 'get_weather',
  description: 'Get the current weather for a city',
  schema: z.object({ city: z.string() }),
})

for (const [name, modelOf] of Object.entries(formats)) {
  const keyed = (given) => modelOf({ apiKey: service.apiKey, maxTokens: 200, ...given })
  describe(name, () => {
    checkAnswers(keyed({}))
    checkTools(keyed({}))
    checkAbort(keyed({ maxTokens: service.LONG_TOKENS_MAX }))
    checkRefusals(keyed)
  })
}

function checkAnswers(model) {
  test('a plain answer, billed as its usage says', async () => {
    let message
    const receipt = await service.receiptOfOne(async () => {
      message = await model.invoke(service.question)
    })
    assert.match(message.text, service.answer)
    assertBilled(receipt, message.usage_metadata)
  })

  test('a stream, billed as its usage says', async () => {
    let message
    let chunks = 0
    const receipt = await service.receiptOfOne(async () => {
      for await (const chunk of await model.stream(service.question)) {
        message = message === undefined ? chunk : message.concat(chunk)
        chunks += 1
      }
    })
    assert.match(message.text, service.answer)
    assert.ok(chunks > 1)
    assertBilled(receipt, message.usage_metadata)
  })

  for (const method of ['jsonSchema', 'functionCalling']) {
    test(`an object by ${method}`, async () => {
      const structured = model.withStructuredOutput(Person, { method })
      const object = await structured.invoke(service.personText)
      assert.equal(Person.safeParse(object).success, true)
      if (method === 'jsonSchema') assert.deepEqual(object, service.person)
    })
  }
}

function checkTools(model) {
  test('a loop of tools', async () => {
    const withTools = model.bindTools([weather])
    const messages = [new HumanMessage(service.weatherQuestion)]
    const asking = await withTools.invoke(messages)
    const [call] = asking.tool_calls
    assert.deepEqual(call.args, { city: 'Paris' })
    const result = new ToolMessage({
      content: await weather.invoke(call.args),
      tool_call_id: call.id,
    })
    const told = await withTools.invoke([...messages, asking, result])
    assert.match(told.text, service.weatherAnswer)
  })

  test('a streamed call', async () => {
    let message
    for await (const chunk of await model.bindTools([weather]).stream(service.weatherQuestion)) {
      message = message === undefined ? chunk : message.concat(chunk)
    }
    const [call] = message.tool_calls
    assert.equal(call.name, 'get_weather')
    assert.deepEqual(call.args, { city: 'Paris' })
  })
}

function checkAbort(model) {
  test('a stream that is aborted', async () => {
    const numbers = {
      name: 'numbers',
      description: 'Tell numbers',
      schema: service.longSchema,
    }
    const forced = model.bindTools([tool(() => '', numbers)], { tool_choice: 'numbers' })
    const abort = new AbortController()
    const attempts = await service.attemptsOf(async () => {
      const left = async () => {
        const { signal } = abort
        for await (const _ of await forced.stream(service.longQuestion, { signal })) abort.abort()
      }
      await assert.rejects(left)
    })
    await service.assertStopped(attempts)
  })
}

function checkRefusals(keyed) {
  const refusal = (status) => (error) => error.status === status

  test('400 is an error with its status, tried once', async () => {
    const model = keyed({ model: 'gpt-9' })
    await service.assertRefusedOnce(() => model.invoke('x'), 400, refusal(400))
  })

  test('401 is an error with its status, tried once', async () => {
    const model = keyed({ apiKey: service.wrongApiKey })
    await service.assertRefusedOnce(() => model.invoke('x'), 401, refusal(401))
  })

  test('402 is an error with its status, tried once', async () => {
    const model = keyed({ apiKey: service.emptyApiKey })
    await service.assertRefusedOnce(() => model.invoke('x'), 402, refusal(402))
  })
}

function assertBilled(receipt, { input_tokens: input, output_tokens: output }) {
  service.assertBilled(receipt, { input, output })
}
