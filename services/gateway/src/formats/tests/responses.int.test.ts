/** The Responses format through the official client, against the whole gateway. */
import { costOf } from '@svc/contracts/price'
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { testRates } from '@svc/testing/gateway/watched-ledger'
import { plainScript, type ScriptedEvent } from '@svc/testing/scripted-worker'
import OpenAI from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'

let fixture: GatewayFixture
let openai: OpenAI

const model = 'svc-beta'
const input = 'what is the capital of France?'
const PROMPT_TOKENS = 8

beforeAll(async () => {
  fixture = await startGateway()
  openai = new OpenAI({ apiKey: fixture.ledger.secret, baseURL: `${fixture.baseUrl}/v1` })
})
afterAll(() => fixture[Symbol.asyncDispose]())
beforeEach(() => {
  fixture.worker.script = plainScript
  fixture.ledger.entries.clear()
})

const play = (...events: ScriptedEvent[]) => {
  fixture.worker.script = { ...plainScript, events }
}
const prepared = () => fixture.worker.prepared.at(-1)

const weather: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'get_weather',
  description: null,
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: true,
}
const callsWeather: ScriptedEvent[] = [
  { reasoning: 'think' },
  { call: 'get_weather' },
  { arguments: '{"city":' },
  { arguments: '"Paris"}' },
]

describe('a response that is not streamed', () => {
  test('has every field, the text, and the usage that was billed', async () => {
    fixture.worker.script = { ...plainScript, tokens: 3, cachedTokens: 5 }
    const response = await openai.responses.create({
      model: 'svc-4',
      input,
      metadata: { trace: 'a' },
    })
    const { _request_id, output_text, ...fields } = response
    expect(fields).toEqual({
      id: expect.stringMatching(/^resp_[0-9a-z]{26}$/),
      object: 'response',
      created_at: expect.any(Number),
      completed_at: expect.any(Number),
      status: 'completed',
      background: false,
      error: null,
      incomplete_details: null,
      instructions: null,
      max_output_tokens: null,
      max_tool_calls: null,
      model: 'svc-beta',
      output: [
        {
          id: expect.stringMatching(/^msg_/),
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [
            { type: 'output_text', text: 'word word1 word2', annotations: [], logprobs: [] },
          ],
        },
      ],
      parallel_tool_calls: true,
      presence_penalty: 0,
      frequency_penalty: 0,
      previous_response_id: null,
      prompt_cache_key: null,
      reasoning: { effort: null, summary: null },
      safety_identifier: null,
      service_tier: 'default',
      store: true,
      temperature: 1,
      text: { format: { type: 'text' } },
      tool_choice: 'auto',
      tools: [],
      top_logprobs: 0,
      top_p: 1,
      truncation: 'disabled',
      user: null,
      metadata: { trace: 'a' },
      access_programs: null,
      usage: {
        input_tokens: PROMPT_TOKENS,
        input_tokens_details: { cached_tokens: 5, cache_write_tokens: 0 },
        output_tokens: 3,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: PROMPT_TOKENS + 3,
        cost: '0.0000155',
      },
    })
    expect(output_text).toBe('word word1 word2')
    const counts = { inputTokens: 3, cachedInputTokens: 5, outputTokens: 3 }
    const [[requestId, amount] = []] = fixture.ledger.debits()
    expect(amount).toBe(costOf(testRates, counts))
    expect(_request_id).toBe(requestId)
  })

  test('is incomplete at the limit that was asked for', async () => {
    const response = await openai.responses.create({ model, input, max_output_tokens: 2 })
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      completed_at: null,
      output: [{ status: 'incomplete' }],
      usage: { output_tokens: 2 },
    })
  })

  test('shows thoughts as a summary, and carries them for the way back', async () => {
    play({ reasoning: 'first' }, { reasoning: ' second' }, { text: 'done' })
    const response = await openai.responses.create({
      model,
      input,
      store: false,
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    })
    const [thoughts] = response.output
    expect(thoughts).toMatchObject({
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'first second' }],
      encrypted_content: expect.any(String),
    })
    expect(response.reasoning).toEqual({ effort: 'high', summary: 'auto' })
    expect(response.usage?.output_tokens_details.reasoning_tokens).toBe(2)
    expect(prepared()?.thinking.enabled).toBe(true)
    await openai.responses.create({
      model,
      input: [
        { role: 'user', content: 'a' },
        ...response.output,
        { role: 'user', content: 'b' },
      ] as OpenAI.Responses.ResponseInput,
    })
    expect(prepared()?.messages).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'done', reasoning: 'first second' },
      { role: 'user', content: 'b' },
    ])
  })

  test('is parsed by the client when a schema was given', async () => {
    play({ text: '{"name":' }, { text: '"Ada"}' })
    const format = zodTextFormat(z.object({ name: z.string() }), 'person')
    const response = await openai.responses.parse({ model, input, text: { format } })
    expect(response.output_parsed).toEqual({ name: 'Ada' })
    expect(prepared()?.outputFormat).toMatchObject({
      type: 'json_schema',
      schema: { type: 'object', required: ['name'] },
    })
  })

  test('names the keyword of a schema that cannot be enforced', async () => {
    fixture.worker.script = {
      ...plainScript,
      prepareRefusal: { status: 400, code: 'unsupported_schema', message: 'a.b: multipleOf' },
    }
    const format = { type: 'json_schema' as const, name: 'x', schema: { type: 'object' } }
    const error = await openai.responses
      .create({ model, input, text: { format } })
      .catch((cause) => cause)
    expect(error).toMatchObject({ status: 400, param: 'text.format.schema' })
    expect(error.message).toContain('multipleOf')
    expect(fixture.ledger.entries.size).toBe(0)
  })

  test('has log probabilities where they were asked for', async () => {
    const top = [{ token: 'hi', bytes: null, logprob: -0.5 }]
    play({ text: 'hi', logprobs: [{ token: 'hi', bytes: [104, 105], logprob: -0.5, top }] })
    const response = await openai.responses.create({
      model,
      input,
      top_logprobs: 1,
      include: ['message.output_text.logprobs'],
    })
    expect(response.output[0]).toMatchObject({
      content: [
        {
          logprobs: [
            {
              token: 'hi',
              bytes: [104, 105],
              logprob: -0.5,
              top_logprobs: [{ token: 'hi', bytes: [], logprob: -0.5 }],
            },
          ],
        },
      ],
    })
    expect(fixture.worker.runs.at(-1)?.request.topLogprobs).toBe(1)
  })

  test('is the same under /pro/v1', async () => {
    const pro = new OpenAI({ apiKey: fixture.ledger.secret, baseURL: `${fixture.baseUrl}/pro/v1` })
    const { id } = await pro.responses.create({ model: 'svc-pro', input })
    expect(await pro.responses.retrieve(id)).toMatchObject({ id, model })
  })
})

describe('tools', () => {
  test('are called and answered over two requests', async () => {
    play(...callsWeather)
    const first = await openai.responses.create({ model, input, tools: [weather] })
    const call = first.output.find((item) => item.type === 'function_call')
    expect(call).toMatchObject({ arguments: '{"city":"Paris"}', status: 'completed' })
    await openai.responses.create({
      model,
      tools: [weather],
      previous_response_id: first.id,
      input: [
        {
          type: 'function_call_output',
          call_id: call?.call_id ?? '',
          output: [{ type: 'input_text', text: 'rain' }],
        },
      ],
    })
    expect(prepared()?.messages).toEqual([
      { role: 'user', content: input },
      {
        role: 'assistant',
        content: '',
        reasoning: 'think',
        toolCalls: [{ id: call?.call_id, name: 'get_weather', arguments: '{"city":"Paris"}' }],
      },
      { role: 'tool', content: 'rain', toolCallId: call?.call_id, name: 'get_weather' },
    ])
  })

  test('complaints 2, 3: of every kind that an agent sends are taken, and named as they were', async () => {
    play({ call: 'agents__spawn' }, { arguments: '{}' }, { call: 'patch' }, { arguments: '{"in' })
    const tools: OpenAI.Responses.Tool[] = [
      weather,
      {
        type: 'namespace',
        name: 'agents',
        description: 'Helpers.',
        tools: [{ type: 'function', name: 'spawn', parameters: { type: 'object' } }],
      },
      { type: 'custom', name: 'patch', format: { type: 'text' } },
      { type: 'web_search' },
    ]
    const { data, response } = await openai.responses
      .create({ model, input, tools, tool_choice: 'auto' })
      .withResponse()
    expect(response.headers.get('x-svc-dropped-tools')).toBe('web_search')
    expect(prepared()?.toolUse?.tools.map(({ name }) => name)).toEqual([
      'get_weather',
      'agents__spawn',
      'patch',
    ])
    expect(data.output).toMatchObject([
      { type: 'function_call', name: 'spawn', namespace: 'agents', arguments: '{}' },
      { type: 'custom_tool_call', name: 'patch', input: '{"in' },
    ])
    expect(data.tools).toHaveLength(3)
  })

  test('of the custom kind stream their text, and take it back', async () => {
    play({ call: 'patch' }, { arguments: '{"input":' }, { arguments: '"a\\nb"}' })
    const tools: OpenAI.Responses.Tool[] = [{ type: 'custom', name: 'patch' }]
    const response = await openai.responses.stream({ model, input, tools }).finalResponse()
    const call = response.output[0]
    expect(call).toMatchObject({ type: 'custom_tool_call', name: 'patch', input: 'a\nb' })
    const callId = call?.type === 'custom_tool_call' ? call.call_id : ''
    await openai.responses.create({
      model,
      tools,
      input: [
        { role: 'user', content: 'go' },
        ...(response.output as OpenAI.Responses.ResponseInput),
        { type: 'custom_tool_call_output', call_id: callId, output: 'ok' },
      ],
    })
    expect(prepared()?.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: callId, name: 'patch', arguments: '{"input":"a\\nb"}' }],
      },
      { role: 'tool', content: 'ok', toolCallId: callId, name: 'patch' },
    ])
  })
})
