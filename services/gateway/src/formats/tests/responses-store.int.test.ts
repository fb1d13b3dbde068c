/** Responses that are kept: read, gone on from, deleted, and never shown to another account. */
import { request as httpRequest } from 'node:http'
import { ThreadTurns } from '@svc/infra/turns/thread-turns'
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { plainScript } from '@svc/testing/scripted-worker'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { expectRefused } from '../../../testing/oracle.ts'

let fixture: GatewayFixture
let openai: OpenAI

const model = 'svc-beta'
const unknown = `resp_${'0'.repeat(26)}`

beforeAll(async () => {
  fixture = await startGateway()
  openai = new OpenAI({ apiKey: fixture.ledger.secret, baseURL: `${fixture.baseUrl}/v1` })
})
afterAll(() => fixture[Symbol.asyncDispose]())
beforeEach(() => {
  fixture.worker.script = { ...plainScript, tokens: 2 }
  fixture.ledger.entries.clear()
})

const prepared = () => fixture.worker.prepared.at(-1)?.messages
const call = (method: string, path: string, body?: object, secret = fixture.ledger.secret) =>
  fetch(fixture.baseUrl + path, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

describe('a stored response', () => {
  test('is read again as it was answered, whole or streamed', async () => {
    const whole = await openai.responses.create({ model, input: 'a' })
    const streamed = await openai.responses.stream({ model, input: 'a' }).finalResponse()
    expect(await openai.responses.retrieve(whole.id)).toMatchObject({ output: whole.output })
    const again = await openai.responses.retrieve(streamed.id)
    expect(again).toMatchObject({ status: 'completed', output_text: 'word word1' })
  })

  test('is gone on from: with its input and output, and without its instructions', async () => {
    const first = await openai.responses.create({ model, input: 'one', instructions: 'be kind' })
    const second = await openai.responses.create({
      model,
      input: 'two',
      previous_response_id: first.id,
    })
    expect(second.previous_response_id).toBe(first.id)
    await openai.responses.create({
      model,
      input: 'three',
      instructions: 'be brief',
      previous_response_id: second.id,
    })
    expect(prepared()).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'word word1' },
      { role: 'user', content: 'two' },
      { role: 'assistant', content: 'word word1' },
      { role: 'user', content: 'three' },
    ])
  })

  test('begins a conversation when the id of the one before is empty', async () => {
    const first = await openai.responses.create({ model, input: 'one', previous_response_id: '' })
    expect(first.previous_response_id).toBeNull()
    await openai.responses.create({ model, input: 'two', previous_response_id: first.id })
    expect(prepared()?.map(({ content }) => content)).toEqual(['one', 'word word1', 'two'])
  })

  test.each(['from the response before', 'by a reference'])(
    'keeps the tools that an item added to the conversation, %s',
    async (way) => {
      const tool = { type: 'function', name: 'lookup', parameters: {}, strict: null } as const
      const { id } = await openai.responses.create({
        model,
        input: [
          { type: 'additional_tools', role: 'developer', tools: [tool] },
          { role: 'user', content: 'one' },
        ],
      })
      const items = (await openai.responses.inputItems.list(id, { order: 'asc' })).data
      const named = { type: 'item_reference' as const, id: items[0]?.id ?? '' }
      const next = { role: 'user' as const, content: 'two' }
      await openai.responses.create({
        model,
        ...(way === 'by a reference'
          ? { input: [named, next] }
          : { input: [next], previous_response_id: id }),
      })
      expect(fixture.worker.prepared.at(-1)?.toolUse?.tools).toMatchObject([{ name: 'lookup' }])
    },
  )

  test('has items that can be named instead of sent', async () => {
    const { output } = await openai.responses.create({ model, input: 'one' })
    await openai.responses.create({
      model,
      input: [
        { role: 'user', content: 'one' },
        { type: 'item_reference', id: output[0]?.id ?? '' },
        { role: 'user', content: 'two' },
      ],
    })
    expect(prepared()?.[1]).toEqual({ role: 'assistant', content: 'word word1' })
  })

  test('is not said twice when its items are named as well', async () => {
    const { id, output } = await openai.responses.create({ model, input: 'one' })
    const named = { type: 'item_reference' as const, id: output[0]?.id ?? '' }
    await openai.responses.create({
      model,
      previous_response_id: id,
      input: [named, { role: 'user', content: 'two' }],
    })
    expect(prepared()?.map(({ content }) => content)).toEqual(['one', 'word word1', 'two'])
  })

  test('is not said twice either by who goes on from a response that named its items', async () => {
    const thirdTurn = async (isNamed: boolean) => {
      const { id, output } = await openai.responses.create({ model, input: 'one' })
      const named = { type: 'item_reference' as const, id: output[0]?.id ?? '' }
      const second = await openai.responses.create({
        model,
        previous_response_id: id,
        input: [...(isNamed ? [named] : []), { role: 'user', content: 'two' }],
      })
      expect((await openai.responses.inputItems.list(second.id)).data).toHaveLength(1)
      const third = { model, input: 'three', previous_response_id: second.id }
      const { usage } = await openai.responses.create(third)
      return { prompt: prepared(), billed: usage?.input_tokens }
    }
    const named = await thirdTurn(true)
    expect(named).toEqual(await thirdTurn(false))
    expect(named.prompt?.map(({ content }) => content)).toEqual([
      'one',
      'word word1',
      'two',
      'word word1',
      'three',
    ])
  })

  test('goes on after the result of a call was named as well', async () => {
    const tools = [{ type: 'function', name: 'f', parameters: {}, strict: null } as const]
    fixture.worker.script = { ...plainScript, events: [{ call: 'f' }, { arguments: '{}' }] }
    const first = await openai.responses.create({ model, tools, input: 'one' })
    const called = first.output[0]
    fixture.worker.script = { ...plainScript, tokens: 2 }
    const result = {
      type: 'function_call_output' as const,
      call_id: called?.type === 'function_call' ? called.call_id : '',
      output: 'rain',
    }
    const second = await openai.responses.create({
      model,
      tools,
      previous_response_id: first.id,
      input: [result],
    })
    const [item] = (await openai.responses.inputItems.list(second.id)).data
    const third = await openai.responses.create({
      model,
      tools,
      previous_response_id: second.id,
      input: [
        { type: 'item_reference', id: item?.id ?? '' },
        { role: 'user', content: 'three' },
      ],
    })
    await openai.responses.create({ model, tools, input: 'four', previous_response_id: third.id })
    expect(prepared()?.filter(({ role }) => role === 'tool')).toMatchObject([{ content: 'rain' }])
  })

  test('lists its input in pages, in both orders', async () => {
    const texts = ['a', 'b', 'c', 'd', 'e']
    const { id } = await openai.responses.create({
      model,
      input: texts.map((content) => ({ role: 'user' as const, content })),
    })
    const listed = async (order: 'asc' | 'desc') => {
      const found: string[] = []
      for await (const item of openai.responses.inputItems.list(id, { order, limit: 2 })) {
        if (item.type === 'message') found.push(JSON.stringify(item.content[0]))
      }
      return found.map((text) => JSON.parse(text).text)
    }
    expect(await listed('asc')).toEqual(texts)
    expect(await listed('desc')).toEqual(texts.toReversed())
    const page = await (await call('GET', `/v1/responses/${id}/input_items?limit=2`)).json()
    expect(page).toMatchObject({ object: 'list', has_more: true, data: [{}, {}] })
    for (const [query, param] of [
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['limit=0x2', 'limit'],
      ['order=up', 'order'],
      ['after=msg_x', 'after'],
    ]) {
      const response = await call('GET', `/v1/responses/${id}/input_items?${query}`)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: { param } })
    }
  })

  test('is opened, read and written in turns of its account, on the thread of all', async () => {
    const { id } = await openai.responses.create({ model, input: 'a' })
    const turns = vi.spyOn(ThreadTurns.prototype, 'run')
    onTestFinished(() => turns.mockRestore())
    await (await call('GET', `/v1/responses/${id}`)).json()
    await (await call('GET', `/v1/responses/${id}/input_items`)).json()
    expect(turns.mock.calls).toHaveLength(2 * 3)
  })

  test('lists an item once that was named twice, so that its pages end', async () => {
    const { output } = await openai.responses.create({ model, input: 'one' })
    const named = { type: 'item_reference' as const, id: output[0]?.id ?? '' }
    const input = [named, named, { role: 'user' as const, content: 'two' }]
    const { id } = await openai.responses.create({ model, input })
    expect(prepared()?.map(({ content }) => content)).toEqual(['word word1', 'two'])
    const listed: (string | undefined)[] = []
    for await (const item of openai.responses.inputItems.list(id, { order: 'asc', limit: 1 })) {
      listed.push(item.id)
      if (listed.length > input.length) break
    }
    expect(listed).toEqual([named.id, expect.stringMatching(/_i2$/)])
  })

  test('is gone when it was deleted', async () => {
    const { id } = await openai.responses.create({ model, input: 'a' })
    const deleted = await call('DELETE', `/v1/responses/${id}`)
    expect(await deleted.json()).toEqual({ id, object: 'response', deleted: true })
    expect((await call('DELETE', `/v1/responses/${id}`)).status).toBe(404)
    await expect(openai.responses.retrieve(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
    const next = openai.responses.create({ model, input: 'b', previous_response_id: id })
    await expect(next).rejects.toMatchObject({ code: 'previous_response_not_found' })
  })

  test('is not there with store: false', async () => {
    const response = await openai.responses.create({ model, input: 'a', store: false })
    expect(response).toMatchObject({ store: false })
    expect((await call('GET', `/v1/responses/${response.id}`)).status).toBe(404)
  })

  test('is not there when its stream broke, nor when it could not be billed', async () => {
    const streamedId = async () => {
      const broken = await call('POST', '/v1/responses', { model, input: 'a', stream: true })
      const text = await broken.text()
      expect(text).toContain('event: response.failed')
      return /"id":"(resp_[0-9a-z]{26})"/.exec(text)?.[1] ?? 'none'
    }
    const fault = { kind: 'error', afterTokens: 2, meter: true } as const
    fixture.worker.script = { ...plainScript, delayMs: 20, fault }
    expect((await call('GET', `/v1/responses/${await streamedId()}`)).status).toBe(404)
    fixture.worker.script = { ...plainScript, delayMs: 20, tokens: 2 }
    fixture.ledger.beforeSettle = () => Promise.reject(new RangeError('no store takes this'))
    const unbilled = await streamedId()
    fixture.ledger.beforeSettle = () => Promise.resolve()
    expect((await call('GET', `/v1/responses/${unbilled}`)).status).toBe(404)
    fixture.log.length = 0
  })

  test('of another account is as one that never was', async () => {
    const { id, output } = await openai.responses.create({ model, input: 'secret' })
    const { otherSecret } = fixture.ledger
    const requests = (target: string): [string, string, object?][] => [
      ['GET', `/v1/responses/${target}`],
      ['GET', `/v1/responses/${target}/input_items`],
      ['DELETE', `/v1/responses/${target}`],
      ['POST', `/v1/responses/${target}/cancel`],
      ['POST', '/v1/responses', { model, input: 'a', previous_response_id: target }],
    ]
    const answers = async (target: string) => {
      const found: string[] = []
      for (const [method, path, body] of requests(target)) {
        const answer = await call(method, path, body, otherSecret)
        found.push(`${answer.status} ${(await answer.text()).replaceAll(target, 'ID')}`)
      }
      return found
    }
    const theirs = await answers(id)
    expect(theirs).toEqual(await answers(unknown))
    expect(theirs.map((text) => text.slice(0, 3))).toEqual(['404', '404', '404', '404', '400'])
    const input = [{ type: 'item_reference', id: output[0]?.id }]
    const named = await call('POST', '/v1/responses', { model, input }, otherSecret)
    expect(named.status).toBe(400)
    expect((await call('GET', `/v1/responses/${id}`)).status).toBe(200)
  })
})

describe('what goes with responses', () => {
  test('is counted as it is billed, for nothing and without a balance', async () => {
    const { ledger } = fixture
    const body = {
      model,
      instructions: 'be kind',
      input: [{ role: 'user' as const, content: 'what is the capital of France?' }],
      tools: [{ type: 'function', name: 'f', parameters: {}, strict: null } as const],
    }
    const { usage } = await openai.responses.create(body)
    const debits = ledger.debits().length
    const { model: _model, ...withoutModel } = body
    const [counted, again] = await ledger.withBalance(0n, () =>
      Promise.all([
        openai.responses.inputTokens.count(body),
        openai.responses.inputTokens.count(withoutModel),
      ]),
    )
    expect(counted).toMatchObject({
      object: 'response.input_tokens',
      input_tokens: usage?.input_tokens,
    })
    expect(again.input_tokens).toBe(counted.input_tokens)
    expect(ledger.debits().length).toBe(debits)
  })

  test('is compacted by the model, for its price, and goes on from there', async () => {
    fixture.worker.script = { ...plainScript, events: [{ text: 'They ' }, { text: 'spoke.' }] }
    const compacted = await openai.responses.compact({
      model,
      input: [
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two' },
        { role: 'user', content: 'three' },
      ],
    })
    expect(compacted).toMatchObject({
      object: 'response.compaction',
      output: [
        { type: 'message', role: 'user', content: [{ text: 'one' }] },
        { type: 'message', role: 'user', content: [{ text: 'three' }] },
        { type: 'compaction', encrypted_content: expect.any(String) },
      ],
      usage: { output_tokens: 2 },
    })
    expect(fixture.ledger.debits().length).toBe(1)
    await openai.responses.create({
      model,
      input: [
        ...(compacted.output as OpenAI.Responses.ResponseInput),
        { role: 'user', content: 'go on' },
      ],
    })
    expect(prepared()).toEqual([
      {
        role: 'user',
        content: 'one\n\nthree\n\nSummary of the conversation so far:\nThey spoke.\n\ngo on',
      },
    ])
  })

  test('can be compacted by the name of the last response', async () => {
    const { id } = await openai.responses.create({ model, input: 'one' })
    const compacted = await openai.responses.compact({ model, previous_response_id: id })
    expect(compacted.output.map(({ type }) => type)).toEqual(['message', 'compaction'])
    expect(prepared()?.slice(0, 2)).toEqual([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'word word1' },
    ])
  })

  test('is not cancelled, and not streamed again', async () => {
    const { id } = await openai.responses.create({ model, input: 'a' })
    fixture.ledger.entries.clear()
    const cancelled = await call('POST', `/v1/responses/${id}/cancel`)
    await expectRefused(fixture, cancelled, { status: 400, code: 'invalid_request' })
    const streamed = await call('GET', `/v1/responses/${id}?stream=true`)
    await expectRefused(fixture, streamed, { status: 400, code: 'unsupported_value' })
    const none = await call('POST', `/v1/responses/${unknown}/cancel`)
    await expectRefused(fixture, none, { status: 404, code: 'not_found' })
  })

  test('is not spoken over a WebSocket: 426, so that agents go on over HTTP at once', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${fixture.ledger.secret}`,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      }
      const upgrade = httpRequest(`${fixture.baseUrl}/v1/responses`, { headers }, (response) => {
        response.resume()
        response.once('end', () => resolve(response.statusCode))
      })
      upgrade.once('error', reject).end()
    })
    expect(status).toBe(426)
  })
})
