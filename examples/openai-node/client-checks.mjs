/** What the openai package does with the real server; any version of it can be handed in. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as service from '../../tests/examples/service.mjs'

const { model } = service
const user = (content) => [{ role: 'user', content }]

export function checkOpenai({ OpenAI, helpers, z }) {
  const clientOf = (apiKey) => new OpenAI({ baseURL: `${service.rootUrl}/v1`, apiKey })
  const kit = {
    OpenAI,
    client: clientOf(service.apiKey),
    clientOf,
    helpers,
    Person: z.object({ name: z.string(), age: z.int() }),
    City: z.object({ city: z.string() }),
  }
  describe('chat completions', () => checkChat(kit))
  describe('responses', () => checkResponses(kit))
  describe('refusals', () => checkRefusals(kit))
  describe('side routes', () => checkSideRoutes(kit))
}

function checkChat({ OpenAI, client, helpers, Person, City }) {
  const { completions } = client.chat
  const asked = { model, temperature: 0, messages: user(service.question) }
  const weather = (run) =>
    helpers.zodFunction({
      name: 'get_weather',
      description: 'Get the current weather for a city',
      parameters: City,
      function: run,
    })

  test('a plain answer, billed as its usage says', async () => {
    let completion
    const receipt = await service.receiptOfOne(async () => {
      completion = await completions.create(asked)
    })
    assert.match(completion.choices[0].message.content, service.answer)
    assert.equal(completion.model, model)
    assert.equal(completion._request_id, receipt.id)
    assertChatBilled(receipt, completion.usage)
  })

  test('a stream helper, billed as its usage says', async () => {
    let total
    const deltas = []
    const receipt = await service.receiptOfOne(async () => {
      const stream = completions.stream({ ...asked, stream_options: { include_usage: true } })
      stream.on('content', (delta) => deltas.push(delta))
      assert.match(await stream.finalContent(), service.answer)
      const final = await stream.finalChatCompletion()
      total = final.usage
    })
    assert.ok(deltas.length > 1)
    assertChatBilled(receipt, total)
  })

  for (const stream of [false, true]) {
    test(`a loop of tools with runTools, stream: ${stream}`, async () => {
      const cities = []
      const tools = [weather(({ city }) => cities.push(city) && service.weatherResult)]
      const runner = completions.runTools({
        model,
        temperature: 0,
        messages: user(service.weatherQuestion),
        tools,
        stream,
      })
      assert.match(await runner.finalContent(), service.weatherAnswer)
      assert.deepEqual(cities, ['Paris'])
    })
  }

  test('an answer with an idempotency key is made and billed once', async () => {
    // The option `idempotencyKey` of this client sends nothing.
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const first = await completions.create(asked, { headers })
    const second = await completions.create(asked, { headers })
    assert.deepEqual(second, first)
    assert.equal(second._request_id, first._request_id)
  })

  test('a schema, parsed by zod', async () => {
    const response_format = helpers.zodResponseFormat(Person, 'person')
    const messages = user(service.personText)
    const completion = await completions.parse({ ...asked, messages, response_format })
    assert.deepEqual(completion.choices[0].message.parsed, service.person)
    const stream = completions.stream({ ...asked, messages, response_format })
    const streamed = await stream.finalChatCompletion()
    assert.deepEqual(streamed.choices[0].message.parsed, service.person)
  })

  test('a stream that is broken off', async () => {
    const schema = { name: 'numbers', schema: service.longSchema }
    const attempts = await service.attemptsOf(async () => {
      const stream = await completions.create({
        ...asked,
        messages: user(service.longQuestion),
        max_completion_tokens: service.LONG_TOKENS_MAX,
        response_format: { type: 'json_schema', json_schema: schema },
        stream: true,
      })
      for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break
    })
    await service.assertStopped(attempts)
  })

  test('a helper that is aborted', async () => {
    const attempts = await service.attemptsOf(async () => {
      const stream = completions.stream({
        ...asked,
        messages: user(service.longQuestion),
        max_completion_tokens: service.LONG_TOKENS_MAX,
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'numbers', schema: service.longSchema },
        },
      })
      stream.once('content', () => stream.abort())
      await assert.rejects(stream.done(), OpenAI.APIUserAbortError)
    })
    await service.assertStopped(attempts)
  })
}

function checkResponses({ client, helpers, Person, City }) {
  const { responses } = client
  const asked = { model, temperature: 0, input: service.question }

  test('a plain answer, billed as its usage says', async () => {
    let response
    const receipt = await service.receiptOfOne(async () => {
      response = await responses.create(asked)
    })
    assert.match(response.output_text, service.answer)
    assertResponseBilled(receipt, response.usage)
  })

  test('a stream helper, billed as its usage says', async () => {
    let final
    const deltas = []
    const receipt = await service.receiptOfOne(async () => {
      const stream = responses.stream(asked)
      stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta))
      final = await stream.finalResponse()
    })
    assert.equal(final.output[0].content[0].text, deltas.join(''))
    assert.match(deltas.join(''), service.answer)
    assertResponseBilled(receipt, final.usage)
  })

  test('a loop of tools that goes on from the stored response', async () => {
    const tool = helpers.zodResponsesFunction({
      name: 'get_weather',
      description: 'Get the current weather for a city',
      parameters: City,
    })
    const input = service.weatherQuestion
    const first = await responses.parse({ ...asked, input, tools: [tool] })
    const call = first.output.find(({ type }) => type === 'function_call')
    assert.deepEqual(JSON.parse(call.arguments), { city: 'Paris' })
    const second = await responses.create({
      ...asked,
      previous_response_id: first.id,
      input: [
        { type: 'function_call_output', call_id: call.call_id, output: service.weatherResult },
      ],
      tools: [tool],
    })
    assert.match(second.output_text, service.weatherAnswer)
  })

  test('two calls in one streamed answer', async () => {
    const tool = helpers.zodResponsesFunction({
      name: 'get_weather',
      description: 'Get the current weather for a city',
      parameters: City,
    })
    const input = 'What is the weather in Reykjavik and Dakar?'
    const { output } = await responses.stream({ ...asked, input, tools: [tool] }).finalResponse()
    const cities = output.map((item) => JSON.parse(item.arguments).city)
    assert.deepEqual(cities, ['Reykjavik', 'Dakar'])
    assert.equal(new Set(output.map(({ call_id }) => call_id)).size, 2)
  })

  test('a schema, parsed by zod', async () => {
    const text = { format: helpers.zodTextFormat(Person, 'person') }
    const whole = await responses.parse({ ...asked, input: service.personText, text })
    assert.deepEqual(whole.output_parsed, service.person)
    const stream = responses.stream({ ...asked, input: service.personText, text })
    assert.deepEqual((await stream.finalResponse()).output_parsed, service.person)
  })

  test('a stream that is broken off', async () => {
    const attempts = await service.attemptsOf(async () => {
      const stream = await responses.create({
        ...asked,
        input: service.longQuestion,
        max_output_tokens: service.LONG_TOKENS_MAX,
        text: { format: { type: 'json_schema', name: 'numbers', schema: service.longSchema } },
        stream: true,
      })
      for await (const event of stream) if (event.type === 'response.output_text.delta') break
    })
    await service.assertStopped(attempts)
  })

  test('a stored response is found, continued and deleted', async () => {
    const first = await responses.create({ ...asked, input: 'my name is Ingrid' })
    assert.equal((await responses.retrieve(first.id)).id, first.id)
    const input = 'Do you still know my name?'
    const next = await responses.create({ ...asked, input, previous_response_id: first.id })
    assert.ok(next.usage.input_tokens > first.usage.total_tokens)
    assert.equal(next.previous_response_id, first.id)
    await responses.delete(first.id)
    await assert.rejects(responses.retrieve(first.id), { status: 404 })
  })
}

function checkRefusals({ OpenAI, client, clientOf }) {
  const bodies = [
    ['chat.completions', (to, more) => to.chat.completions.create(ofChat(more))],
    ['responses', (to, more) => to.responses.create({ model, input: 'x', ...more })],
  ]
  const ofChat = (more) => ({ model, messages: user('x'), ...more })
  for (const [name, ask] of bodies) {
    test(`${name}: 400 is a BadRequestError, tried once`, async () => {
      const isRefusal = refusal(OpenAI.BadRequestError, 'model_not_found')
      await service.assertRefusedOnce(() => ask(client, { model: 'gpt-9' }), 400, isRefusal)
    })

    test(`${name}: 401 is an AuthenticationError, tried once`, async () => {
      const isRefusal = refusal(OpenAI.AuthenticationError, 'invalid_api_key')
      const nobody = clientOf(service.wrongApiKey)
      await service.assertRefusedOnce(() => ask(nobody), 401, isRefusal)
    })

    test(`${name}: 402 is an APIError, tried once, also as a stream`, async () => {
      const isRefusal = refusal(OpenAI.APIError, 'insufficient_quota')
      const poor = clientOf(service.emptyApiKey)
      await service.assertRefusedOnce(() => ask(poor), 402, isRefusal)
      await service.assertRefusedOnce(() => ask(poor, { stream: true }), 402, isRefusal)
    })
  }
}

function refusal(Class, code) {
  return (error) => error instanceof Class && error.code === code && error.requestID !== undefined
}

function checkSideRoutes({ client }) {
  test('the models are listed', async () => {
    const ids = []
    for await (const { id } of client.models.list()) ids.push(id)
    assert.deepEqual(ids, [model])
  })
}

function assertChatBilled(receipt, usage) {
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details } = usage
  service.assertBilled(receipt, { input, output, cached: prompt_tokens_details.cached_tokens })
  assert.equal(usage.cost, receipt.amount)
}

function assertResponseBilled(receipt, usage) {
  const { input_tokens: input, output_tokens: output, input_tokens_details } = usage
  service.assertBilled(receipt, { input, output, cached: input_tokens_details.cached_tokens })
  assert.equal(usage.cost, receipt.amount)
}
