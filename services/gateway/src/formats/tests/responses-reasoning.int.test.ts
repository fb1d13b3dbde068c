/**
 * What the model thought, in the forms that a caller can ask for, and on its way back: as plain
 * text, or sealed, which nobody can forge, alter, or bring from another account.
 */

import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { plainScript } from '@svc/testing/scripted-worker'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { postTo } from '../../../testing/format-requests.ts'
import { expectRefused } from '../../../testing/oracle.ts'

let fixture: GatewayFixture
let openai: OpenAI

const model = 'svc-beta'
const THOUGHTS = 'first second'
const RAW = 'reasoning.content' as OpenAI.Responses.ResponseIncludable
const SEALED = 'reasoning.encrypted_content'

beforeAll(async () => {
  fixture = await startGateway()
  openai = new OpenAI({ apiKey: fixture.ledger.secret, baseURL: `${fixture.baseUrl}/v1` })
})
afterAll(() => fixture[Symbol.asyncDispose]())
beforeEach(() => {
  const events = [{ reasoning: 'first' }, { reasoning: ' second' }, { text: 'done' }]
  fixture.worker.script = { ...plainScript, events }
  fixture.ledger.entries.clear()
})

type Thoughts = Extract<OpenAI.Responses.ResponseOutputItem, { type: 'reasoning' }>
async function thoughtsOf(fields: Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming>) {
  const { output, id } = await openai.responses.create({ model, input: 'a', ...fields })
  return { item: output[0] as Thoughts, output, id }
}
const thoughtsInPrompt = () =>
  fixture.worker.prepared.at(-1)?.messages.flatMap((message) => {
    return message.role === 'assistant' ? [message.reasoning] : []
  })
const historyWith = (item: object) => [
  { role: 'user', content: 'a' },
  item,
  { role: 'assistant', content: 'done' },
  { role: 'user', content: 'b' },
]
const send = (input: object[], path = '/v1/responses', secret = fixture.ledger.secret) =>
  postTo(fixture, path, { model, input }, { authorization: `Bearer ${secret}` })

describe('thoughts are shown', () => {
  test('as a summary unless asked for otherwise', async () => {
    const { item } = await thoughtsOf({})
    expect(item).toEqual({
      id: expect.stringMatching(/^rs_/),
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: THOUGHTS }],
    })
  })

  test('as they are', async () => {
    const { item } = await thoughtsOf({ include: [RAW] })
    expect(item).toEqual({
      id: expect.stringMatching(/^rs_/),
      type: 'reasoning',
      summary: [],
      content: [{ type: 'reasoning_text', text: THOUGHTS }],
    })
  })

  test('in both forms where a summary is asked for too', async () => {
    const { item } = await thoughtsOf({ include: [RAW], reasoning: { summary: 'auto' } })
    expect(item).toMatchObject({
      summary: [{ type: 'summary_text', text: THOUGHTS }],
      content: [{ type: 'reasoning_text', text: THOUGHTS }],
    })
  })

  test('as they come, and the client puts them together', async () => {
    const stream = openai.responses.stream({ model, input: 'a', include: [RAW] })
    const types: string[] = []
    const deltas: string[] = []
    for await (const event of stream) {
      types.push(event.type)
      if (event.type === 'response.reasoning_text.delta') deltas.push(event.delta)
      if (event.type === 'response.reasoning_text.done') expect(event.text).toBe(THOUGHTS)
    }
    expect(deltas).toEqual(['first', ' second'])
    expect(types.slice(2, 9)).toEqual([
      'response.output_item.added',
      'response.content_part.added',
      'response.reasoning_text.delta',
      'response.reasoning_text.delta',
      'response.reasoning_text.done',
      'response.content_part.done',
      'response.output_item.done',
    ])
    expect((await stream.finalResponse()).output[0]).toMatchObject({
      content: [{ type: 'reasoning_text', text: THOUGHTS }],
    })
  })
})

describe('thoughts come back', () => {
  test.each([
    ['as a summary', []],
    ['as they are', [RAW]],
    ['sealed', [SEALED]],
    ['sealed and as they are', [RAW, SEALED]],
  ] as const)('%s', async (_name, include) => {
    const { output } = await thoughtsOf({ include: [...include] })
    const input = [{ role: 'user', content: 'a' }, ...output, { role: 'user', content: 'b' }]
    const response = await send(input)
    expect(response.status, await response.text()).toBe(200)
    expect(thoughtsInPrompt()).toEqual([THOUGHTS])
  })

  test('as they are, from a stored response', async () => {
    const { id } = await thoughtsOf({ include: [RAW, SEALED] })
    await openai.responses.create({ model, input: 'b', previous_response_id: id })
    expect(thoughtsInPrompt()).toEqual([THOUGHTS])
  })

  test('of what is sealed alone, with nothing beside it', async () => {
    const { item } = await thoughtsOf({ include: [SEALED] })
    await send(historyWith({ ...item, id: 'rs_other', summary: [] }))
    expect(thoughtsInPrompt()).toEqual([THOUGHTS])
  })

  test.each(['gAAAAABo', 'svc1.Zm9yZ2Vk'])(
    'as their summary, where the sealed text is not of this version: %s',
    async (encrypted_content) => {
      const summary = [{ type: 'summary_text', text: 'as before' }]
      await send(historyWith({ type: 'reasoning', summary, encrypted_content }))
      expect(thoughtsInPrompt()).toEqual(['as before'])
    },
  )
})

describe('sealed thoughts', () => {
  const sealed = async () => (await thoughtsOf({ include: [SEALED] })).item

  test('show nothing', async () => {
    const { encrypted_content } = await sealed()
    expect(encrypted_content).toMatch(/^svc2\.[\w-]+$/)
    const bytes = Buffer.from(encrypted_content?.slice(5) ?? '', 'base64url')
    expect(bytes.toString('latin1')).not.toMatch(/first|second/)
  })

  test('are the same in their event and in the whole response', async () => {
    const stream = openai.responses.stream({ model, input: 'a', include: [SEALED] })
    const items: unknown[] = []
    for await (const event of stream) {
      if (event.type === 'response.output_item.done') items.push(event.item)
      if (event.type === 'response.completed') expect(event.response.output).toEqual(items)
    }
    expect(items).toHaveLength(2)
  })

  const expected = {
    status: 400,
    code: 'invalid_encrypted_content',
    param: 'input[1].encrypted_content',
  }

  test.each([
    [
      'altered',
      (text: string) => text.slice(0, -3) + (text.at(-3) === 'A' ? 'B' : 'A') + text.slice(-2),
    ],
    ['cut', (text: string) => text.slice(0, -4)],
    ['forged', () => 'svc2.Zm9yZ2Vk'],
    ['empty', () => 'svc2.'],
  ])('that were %s are 400, and name the item', async (_name, change) => {
    const item = await sealed()
    fixture.ledger.entries.clear()
    const changed = { ...item, encrypted_content: change(item.encrypted_content ?? '') }
    for (const path of ['/v1/responses', '/v1/responses/compact']) {
      await expectRefused(fixture, await send(historyWith(changed), path), expected)
    }
    const counted = await send(historyWith(changed), '/v1/responses/input_tokens')
    await expectRefused(fixture, counted, expected)
  })

  test('are refused wherever they stand, also where the prompt leaves them out', async () => {
    const forged = { type: 'reasoning', summary: [], encrypted_content: 'svc2.Zm9yZ2Vk' }
    const response = await send([{ role: 'user', content: 'a' }, forged])
    await expectRefused(fixture, response, expected)
  })

  test('of another account are 400', async () => {
    const item = await sealed()
    fixture.ledger.entries.clear()
    const { otherSecret } = fixture.ledger
    const response = await send(historyWith(item), '/v1/responses', otherSecret)
    await expectRefused(fixture, response, expected)
  })

  test('are no compaction, and a compaction is no thoughts', async () => {
    const { encrypted_content } = await sealed()
    const compacted = await openai.responses.compact({ model, input: 'a' })
    const compaction = compacted.output.find(({ type }) => type === 'compaction')
    fixture.ledger.entries.clear()
    const swapped = [
      { type: 'compaction', encrypted_content },
      { ...compaction, type: 'reasoning', summary: [] },
    ]
    for (const item of swapped)
      await expectRefused(fixture, await send(historyWith(item)), expected)
  })
})

test('a compaction of another account, or of an older version, is 400', async () => {
  const compacted = await openai.responses.compact({ model, input: 'a' })
  fixture.ledger.entries.clear()
  const input = [...(compacted.output as object[]), { role: 'user', content: 'b' }]
  const param = 'input[1].encrypted_content'
  const stolen = await send(input, '/v1/responses', fixture.ledger.otherSecret)
  await expectRefused(fixture, stolen, { status: 400, code: 'invalid_encrypted_content', param })
  const old = [
    { role: 'user', content: 'a' },
    { type: 'compaction', encrypted_content: 'svc1.YQ' },
  ]
  await expectRefused(fixture, await send(old), { status: 400, code: 'unsupported_value', param })
})
