/** The chat format through the official client, against the whole gateway. */
import { costOf } from '@svc/contracts/price'
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { testRates } from '@svc/testing/gateway/watched-ledger'
import { plainScript } from '@svc/testing/scripted-worker'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

let fixture: GatewayFixture
let openai: OpenAI

const messages = [{ role: 'user' as const, content: 'what is the capital of France?' }]
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

describe('an answer that is not streamed', () => {
  test('has the text, the finish reason and the usage that was billed', async () => {
    fixture.worker.script = { ...plainScript, tokens: 3, cachedTokens: 5 }
    const answer = await openai.chat.completions.create({ model: 'svc-4', messages })
    expect(answer).toMatchObject({
      object: 'chat.completion',
      model: 'svc-beta',
      service_tier: 'default',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: 'word word1 word2', refusal: null },
        },
      ],
      usage: {
        prompt_tokens: PROMPT_TOKENS,
        completion_tokens: 3,
        total_tokens: PROMPT_TOKENS + 3,
        prompt_cache_hit_tokens: 5,
        prompt_tokens_details: { cached_tokens: 5 },
      },
    })
    const counts = { inputTokens: 3, cachedInputTokens: 5, outputTokens: 3 }
    const [[requestId, amount] = []] = fixture.ledger.debits()
    expect(amount).toBe(costOf(testRates, counts))
    expect(answer._request_id).toBe(requestId)
    expect(fixture.ledger.openHolds()).toBe(0n)
  })

  test('ends with length at the limit that was asked for', async () => {
    const answer = await openai.chat.completions.create({
      model: 'svc-beta',
      messages,
      max_completion_tokens: 2,
    })
    expect(answer.choices[0]?.finish_reason).toBe('length')
    expect(answer.usage?.completion_tokens).toBe(2)
  })

  test('shows reasoning apart from the text', async () => {
    fixture.worker.script = { ...plainScript, tokens: 3, reasoningTokens: 1 }
    const answer = await openai.chat.completions.create({
      model: 'svc-beta',
      messages,
      reasoning_effort: 'high',
      metadata: { trace: 'a' },
    })
    expect(answer.choices[0]?.message).toMatchObject({
      content: ' word1 word2',
      reasoning_content: 'word',
      reasoning: 'word',
    })
    expect(answer.usage?.completion_tokens_details?.reasoning_tokens).toBe(1)
    expect(answer).toMatchObject({ metadata: { trace: 'a' } })
    expect(fixture.worker.prepared.at(-1)?.thinking.enabled).toBe(true)
  })

  test('says in a header when the balance lowered the output limit', async () => {
    const { ledger } = fixture
    const enough = testRates.input * BigInt(PROMPT_TOKENS) + testRates.output * 3n
    const { data, response } = await ledger.withBalance(enough, () =>
      openai.chat.completions.create({ model: 'svc-beta', messages }).withResponse(),
    )
    expect(response.headers.get('x-svc-max-output-tokens-lowered')).toBe('3')
    expect(data.choices[0]?.finish_reason).toBe('length')
  })

  test('is the same under /pro/v1', async () => {
    const pro = new OpenAI({ apiKey: fixture.ledger.secret, baseURL: `${fixture.baseUrl}/pro/v1` })
    const answer = await pro.chat.completions.create({ model: 'svc-pro', messages })
    expect(answer.model).toBe('svc-beta')
    expect((await pro.models.list()).data.map(({ id }) => id)).toEqual(['svc-beta'])
  })
})

describe('a streamed answer', () => {
  test('gives role, text, finish reason and usage, in this order', async () => {
    fixture.worker.script = { ...plainScript, tokens: 3, delayMs: 1, reasoningTokens: 1 }
    const stream = await openai.chat.completions.create({
      model: 'svc-beta',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks: OpenAI.Chat.ChatCompletionChunk[] = []
    for await (const chunk of stream) chunks.push(chunk)
    expect(chunks.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { reasoning_content: 'word', reasoning: 'word' },
      { content: ' word1' },
      { content: ' word2' },
      {},
      undefined,
    ])
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([
      null,
      null,
      null,
      null,
      'stop',
      undefined,
    ])
    expect(chunks.at(-1)?.usage).toMatchObject({
      prompt_tokens: PROMPT_TOKENS,
      completion_tokens: 3,
      prompt_cache_hit_tokens: 0,
    })
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
  })

  test('works with the helper of the official client', async () => {
    const runner = openai.chat.completions.stream({ model: 'svc-beta', messages })
    const completion = await runner.finalChatCompletion()
    expect(completion.choices[0]?.message.content).toMatch(/^word word1/)
  })

  test('that is aborted by the client is cancelled and billed for what was made', async () => {
    fixture.worker.script = { ...plainScript, tokens: 500, delayMs: 5 }
    const stream = await openai.chat.completions.create({
      model: 'svc-beta',
      messages,
      stream: true,
    })
    let seen = 0
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content) seen += 1
      if (seen === 3) break
    }
    await fixture.worker.runs.at(-1)?.ended
    await expect.poll(() => fixture.ledger.debits().length).toBe(1)
    const { settled } = fixture.ledger.only()
    expect(settled?.input).toMatchObject({
      finishReason: 'cancelled',
      rule: 'metered_until_cancelled',
      failure: null,
    })
    expect(settled?.input.meter.outputTokens).toBe(fixture.worker.runs.at(-1)?.made)
    expect(fixture.ledger.openHolds()).toBe(0n)
  })
})

describe('errors reach the official client as its own classes', () => {
  test('401 for every kind of wrong key, alike', async () => {
    const wrong = new OpenAI({ apiKey: 'sk-svc-wrong', baseURL: `${fixture.baseUrl}/v1` })
    const error = await wrong.models.list().catch((cause) => cause)
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError)
    expect(error).toMatchObject({ code: 'invalid_api_key', type: 'invalid_request_error' })
    expect(error.headers.get('x-should-retry')).toBe('false')
    expect(error.requestID).toMatch(/^req_/)
  })

  test('400 model_not_found', async () => {
    const error = await openai.chat.completions
      .create({ model: 'gpt-4', messages })
      .catch((cause) => cause)
    expect(error).toBeInstanceOf(OpenAI.BadRequestError)
    expect(error).toMatchObject({ code: 'model_not_found', param: 'model' })
  })

  test('402 is tried once, and says what is needed and what is there', async () => {
    const { ledger } = fixture
    const calls = ledger.acceptCalls
    const error = await ledger.withBalance(0n, () =>
      openai.chat.completions.create({ model: 'svc-beta', messages }).catch((cause) => cause),
    )
    expect(error).toMatchObject({ status: 402, code: 'insufficient_quota' })
    expect(error.message).toMatch(/needs at least \$0\.\d+, available is \$0\.00/)
    // The official client hands these on to programs: UX-15.
    expect(error.error.funds).toEqual({
      required: expect.stringMatching(/^0\.\d+$/),
      available: '0.00',
      held: '0.00',
      balance_url: '/v1/balance',
    })
    expect(error.requestID).toMatch(/^req_/)
    expect(error.headers.get('x-should-retry')).toBe('false')
    expect(ledger.acceptCalls - calls).toBe(0)
    expect(ledger.entries.size).toBe(0)
  })
})
