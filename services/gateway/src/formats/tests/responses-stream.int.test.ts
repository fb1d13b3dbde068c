/** Streams of the Responses format through the official client. */

import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { plainScript, type ScriptedEvent } from '@svc/testing/scripted-worker'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { postTo } from '../../../testing/format-requests.ts'

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

describe('a streamed response', () => {
  const events = async (body: OpenAI.Responses.ResponseCreateParamsStreaming) => {
    const found: OpenAI.Responses.ResponseStreamEvent[] = []
    for await (const event of await openai.responses.create(body)) found.push(event)
    return found
  }

  test('tells every step, numbered, and ends with the whole response', async () => {
    play({ reasoning: 'hm' }, { text: 'wo' }, { text: 'rd' })
    const found = await events({ model, input, stream: true })
    expect(found.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(found.map((event) => ('sequence_number' in event ? event.sequence_number : -1))).toEqual(
      Array.from(found, (_, index) => index),
    )
    const last = found.at(-1)
    expect(last).toMatchObject({
      response: {
        status: 'completed',
        output: [{ type: 'reasoning' }, { type: 'message', content: [{ text: 'word' }] }],
        usage: { input_tokens: PROMPT_TOKENS, output_tokens: 3 },
      },
    })
  })

  test('complaint 13: finishes in the helper of the official client, with the calls in it', async () => {
    play(...callsWeather, { call: 'get_weather' }, { arguments: '{}' })
    const runner = openai.responses.stream({ model, input, tools: [weather] })
    const seen: string[] = []
    runner.on('response.function_call_arguments.delta', ({ snapshot }) => seen.push(snapshot))
    const response = await runner.finalResponse()
    expect(seen).toEqual(['{"city":', '{"city":"Paris"}', '{}'])
    expect(response.output).toMatchObject([
      { type: 'reasoning' },
      {
        type: 'function_call',
        name: 'get_weather',
        status: 'completed',
        parsed_arguments: { city: 'Paris' },
      },
      { type: 'function_call', parsed_arguments: {} },
    ])
    const calls = response.output.flatMap((item) => ('call_id' in item ? [item.call_id] : []))
    expect(new Set(calls).size).toBe(2)
  })

  test('finishes in the helper also where nothing was said', async () => {
    play()
    const response = await openai.responses.stream({ model, input }).finalResponse()
    expect(response.output).toMatchObject([{ type: 'message', content: [{ text: '' }] }])
  })

  test('ends as incomplete at the limit', async () => {
    const runner = openai.responses.stream({ model, input, max_output_tokens: 2 })
    const response = await runner.finalResponse()
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    })
  })

  test('that breaks raises in the client, and its response says that it failed', async () => {
    fixture.worker.script = { ...plainScript, fault: { kind: 'die', afterTokens: 2 }, delayMs: 1 }
    const raw = await postTo(fixture, '/v1/responses', { model, input, stream: true })
    const text = await raw.text()
    const [error, failed] = text.trimEnd().split('\n\n').slice(-2)
    expect(error).toContain('event: error\n')
    expect(JSON.parse(error?.split('data: ')[1] ?? '')).toMatchObject({
      type: 'error',
      code: 'server_error',
      param: null,
      error: { type: 'server_error', code: 'server_error' },
    })
    expect(JSON.parse(failed?.split('data: ')[1] ?? '')).toMatchObject({
      type: 'response.failed',
      response: {
        status: 'failed',
        error: { code: 'server_error' },
        output: [{ type: 'message', status: 'incomplete', content: [{ text: 'word word1' }] }],
      },
    })
    expect(text).not.toContain('[DONE]')
    const helper = openai.responses.stream({ model, input }).finalResponse()
    await expect(helper).rejects.toBeInstanceOf(OpenAI.APIError)
  })
})

describe('a quiet stream', () => {
  test('is kept alive by the event that clients count', async () => {
    await using quiet = await startGateway({
      limits: { streamKeepAliveMs: 60 },
      script: { ...plainScript, tokens: 2, prefillMs: 400 },
    })
    const client = new OpenAI({ apiKey: quiet.ledger.secret, baseURL: `${quiet.baseUrl}/v1` })
    const runner = client.responses.stream({ model, input })
    let alive = 0
    runner.on('response.in_progress', () => {
      alive += 1
    })
    const response = await runner.finalResponse()
    expect(response.output_text).toBe('word word1')
    expect(alive).toBeGreaterThan(2)
  })
})
