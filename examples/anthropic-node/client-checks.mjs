/** What the Anthropic SDK does with the real server; any version of it can be handed in. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as service from '../../tests/examples/service.mjs'

const { model } = service
const user = (content) => [{ role: 'user', content }]
// The types of version 1 lack the temperature; the service takes it all the same.
const sure = { model, max_tokens: 200, temperature: 0 }
const asked = { ...sure, messages: user(service.question) }
const weatherTool = {
  name: 'get_weather',
  description: 'Get the current weather for a city',
  input_schema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  },
}
const longAnswer = {
  ...sure,
  max_tokens: service.LONG_TOKENS_MAX,
  messages: user(service.longQuestion),
  output_config: { format: { type: 'json_schema', schema: service.longSchema } },
}

export function checkAnthropic({ Anthropic, betaZodTool, zodOutputFormat, z }) {
  const clientOf = (apiKey) => new Anthropic({ baseURL: service.rootUrl, apiKey })
  const client = clientOf(service.apiKey)
  const kit = { Anthropic, client, clientOf, betaZodTool, zodOutputFormat, z }
  describe('answers', () => checkAnswers(kit))
  describe('tools', () => checkTools(kit))
  describe('schemas', () => checkSchemas(kit))
  describe('broken off', () => checkAborts(kit))
  describe('refusals', () => checkRefusals(kit))
  describe('side routes', () => checkSideRoutes(kit))
}

function checkAnswers({ client }) {
  test('a plain answer, billed as its usage says', async () => {
    let message
    const receipt = await service.receiptOfOne(async () => {
      message = await client.messages.create(asked)
    })
    assert.match(textOf(message), service.answer)
    assert.equal(message.stop_reason, 'end_turn')
    assert.equal(message._request_id, receipt.id)
    assertBilled(receipt, message.usage)
    assert.equal(message.usage.cost, receipt.amount)
  })

  test('a stream helper, billed as its usage says', async () => {
    let message
    const deltas = []
    let cost
    const receipt = await service.receiptOfOne(async () => {
      const stream = client.messages.stream(asked)
      stream.on('text', (delta) => deltas.push(delta))
      // The helper's message has the fields of its types; what else there is, is in the events.
      stream.on('streamEvent', (event) => {
        if (event.type === 'message_delta') cost = event.usage.cost
      })
      message = await stream.finalMessage()
    })
    assert.match(textOf(message), service.answer)
    assert.match(deltas.join(''), service.answer)
    assert.ok(deltas.length > 1)
    assertBilled(receipt, message.usage)
    assert.equal(cost, receipt.amount)
  })

  test('thinking comes as blocks of its own, whole and as a stream', async () => {
    const thoughtful = {
      ...asked,
      max_tokens: 2000,
      messages: user('Which number is larger, 45 or 54?'),
      thinking: { type: 'enabled', budget_tokens: 1024 },
    }
    const streamed = client.messages.stream(thoughtful).finalMessage()
    for (const message of [await client.messages.create(thoughtful), await streamed]) {
      assert.deepEqual(
        message.content.map(({ type }) => type),
        ['thinking', 'text'],
      )
      assert.notEqual(message.content[0].thinking, '')
    }
  })
}

function checkTools({ client, betaZodTool, z }) {
  for (const stream of [false, true]) {
    test(`a loop of tools with toolRunner, stream: ${stream}`, async () => {
      const cities = []
      const tool = betaZodTool({
        name: 'get_weather',
        description: 'Get the current weather for a city',
        inputSchema: z.object({ city: z.string() }),
        run: ({ city }) => cities.push(city) && service.weatherResult,
      })
      const messages = user(service.weatherQuestion)
      const attempts = await service.attemptsOf(async () => {
        const runner = client.beta.messages.toolRunner({
          ...asked,
          messages,
          tools: [tool],
          stream,
        })
        assert.match(textOf(await runner.runUntilDone()), service.weatherAnswer)
      })
      assert.deepEqual(cities, ['Paris'])
      // Version 1 first asks for a thread, and goes on without one when it is refused.
      const served = attempts.filter(({ status }) => status === 200)
      assert.equal(served.length, 2)
      assert.ok(attempts.length <= 3)
    })
  }

  test('a streamed call that is forced', async () => {
    const stream = client.messages.stream({
      ...asked,
      messages: user(service.weatherQuestion),
      tools: [weatherTool],
      tool_choice: { type: 'tool', name: 'get_weather' },
    })
    const message = await stream.finalMessage()
    assert.equal(message.stop_reason, 'tool_use')
    const [block] = message.content
    assert.equal(block.name, 'get_weather')
    assert.deepEqual(block.input, { city: 'Paris' })
  })
}

function checkSchemas({ client, zodOutputFormat, z }) {
  const Person = z.object({ name: z.string(), age: z.int() })
  const person = { ...asked, messages: user(service.personText) }

  test('a schema, parsed by zod', async () => {
    const output_config = { format: zodOutputFormat(Person) }
    const message = await client.messages.parse({ ...person, output_config })
    assert.deepEqual(message.parsed_output, service.person)
  })

  test('a schema, streamed', async () => {
    const output_config = { format: zodOutputFormat(Person) }
    const message = await client.messages.stream({ ...person, output_config }).finalMessage()
    assert.deepEqual(message.parsed_output, service.person)
  })
}

function checkAborts({ Anthropic, client }) {
  test('a stream that is left', async () => {
    const attempts = await service.attemptsOf(async () => {
      const stream = await client.messages.create({ ...longAnswer, stream: true })
      for await (const event of stream) if (event.type === 'content_block_delta') break
    })
    await service.assertStopped(attempts)
  })

  test('a helper that is aborted', async () => {
    const attempts = await service.attemptsOf(async () => {
      const stream = client.messages.stream(longAnswer)
      stream.once('text', () => stream.abort())
      await assert.rejects(stream.done(), Anthropic.APIUserAbortError)
    })
    await service.assertStopped(attempts)
  })
}

function checkRefusals({ Anthropic, client, clientOf }) {
  const refusal = (Class, type) => (error) =>
    error instanceof Class && error.error?.error?.type === type && error.requestID !== undefined

  test('400 is a BadRequestError, tried once', async () => {
    const isRefusal = refusal(Anthropic.BadRequestError, 'invalid_request_error')
    const ask = () => client.messages.create({ ...asked, max_tokens: 0 })
    await service.assertRefusedOnce(ask, 400, isRefusal)
  })

  test('an unknown model is a BadRequestError, tried once', async () => {
    const isRefusal = refusal(Anthropic.BadRequestError, 'not_found_error')
    const ask = () => client.messages.create({ ...asked, model: 'claude-9' })
    await service.assertRefusedOnce(ask, 400, isRefusal)
  })

  test('401 is an AuthenticationError, tried once', async () => {
    const isRefusal = refusal(Anthropic.AuthenticationError, 'authentication_error')
    const nobody = clientOf(service.wrongApiKey)
    await service.assertRefusedOnce(() => nobody.messages.create(asked), 401, isRefusal)
  })

  test('402 is an error of the API, tried once, also as a stream', async () => {
    // Versions before 1.0 have no class of their own for it.
    const Class = Anthropic.PaymentRequiredError ?? Anthropic.APIError
    const isRefusal = refusal(Class, 'billing_error')
    const poor = clientOf(service.emptyApiKey)
    await service.assertRefusedOnce(() => poor.messages.create(asked), 402, isRefusal)
    const stream = () => poor.messages.stream(asked).finalMessage()
    await service.assertRefusedOnce(stream, 402, isRefusal)
  })
}

function checkSideRoutes({ client }) {
  test('the models are listed', async () => {
    const ids = []
    for await (const { id } of client.models.list()) ids.push(id)
    assert.deepEqual(ids, [model])
  })

  test('tokens are counted as they are billed', async () => {
    const { messages } = asked
    const counted = await client.messages.countTokens({ model, messages })
    const { usage } = await client.messages.create(asked)
    assert.equal(counted.input_tokens, usage.input_tokens)
  })
}

function textOf(message) {
  return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

function assertBilled(receipt, { input_tokens: input, output_tokens: output }) {
  service.assertBilled(receipt, { input, output })
}
