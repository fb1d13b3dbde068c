/**
 * What clients of other servers complain of, with the real template, cache and model. Where all of
 * the complaints are is said in services/gateway/src/formats/tests/complaints.int.test.ts.
 */
import { messagesStreamEvent } from '@svc/contracts/wire/messages'
import { wireFormats } from '@svc/testing/wire-formats'
import { chatFormat } from '@svc/testing/wire-formats/chat-format'
import { longQuestion, question, weatherQuestion } from '@svc/testing/wire-formats/conversation'
import { messagesFormat } from '@svc/testing/wire-formats/messages-format'
import { responsesFormat } from '@svc/testing/wire-formats/responses-format'
import { eventsOf, type WireFormat } from '@svc/testing/wire-formats/wire-format'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Customer, type SpecServer, startSpecServer } from './spec-server.ts'

let server: SpecServer
let customer: Customer

beforeAll(async () => {
  server = await startSpecServer()
  customer = await server.customer()
})
afterAll(() => server.stop())

async function ask(format: WireFormat, body: object) {
  const response = await customer.post(format.paths[0], body)
  const json = await response.json()
  expect(response.status, JSON.stringify(json)).toBe(200)
  const { usage } = await customer.receiptOf(response)
  return { json, answer: format.readAnswer(json), billed: usage }
}

const asked = { role: 'user', content: 'What is the capital city of Norway?' }
const brief = 'You are a helpful assistant.'

describe('complaint 1: an instruction behind the question means what it means in front', () => {
  test.each([
    ['chat', chatFormat, { messages: [asked, { role: 'system', content: brief }] }],
    ['chat, developer', chatFormat, { messages: [asked, { role: 'developer', content: brief }] }],
    ['responses', responsesFormat, { input: [asked, { role: 'developer', content: brief }] }],
    ['messages', messagesFormat, { messages: [asked, { role: 'system', content: brief }] }],
  ])('%s', async (_name, format, fields) => {
    const behind = await ask(format, format.body(question, fields))
    const inFront = await ask(format, format.body({ ...question, system: brief }))
    expect(behind.answer).toEqual({ ...inFront.answer, cached: behind.answer.cached })
  })
})

test('complaint 4: a billing line that differs leaves the prompt and its cache alone', async () => {
  const system = (line: string) => ({
    system: [
      { type: 'text', text: `x-anthropic-billing-header: cc_version=2.1; cch=${line};` },
      { type: 'text', text: longQuestion.system },
    ],
  })
  const first = await ask(messagesFormat, messagesFormat.body(longQuestion, system('a1b2c')))
  const second = await ask(messagesFormat, messagesFormat.body(longQuestion, system('d3e4f')))
  expect(second.answer).toEqual(first.answer)
  expect(second.billed.cached_input_tokens).toBeGreaterThan(0)
})

test('complaint 6: a stream begins with the input that is counted, and ends with it', async () => {
  const { countPath } = messagesFormat
  const counted = await customer.post(countPath ?? '', messagesFormat.body(weatherQuestion))
  const { input_tokens: count } = (await counted.json()) as { input_tokens: number }
  const body = messagesFormat.body(weatherQuestion, { stream: true })
  const stream = await (await customer.post('/v1/messages', body)).text()
  const inputs = eventsOf(stream).flatMap((each) => {
    const event = messagesStreamEvent.parse(each)
    if (event.type === 'message_start') return [event.message.usage.input_tokens]
    return event.type === 'message_delta' ? [event.usage.input_tokens] : []
  })
  expect(count).toBeGreaterThan(0)
  expect(inputs).toEqual([count, count])
})

test('complaint 7: cached input is counted once in Messages, and its cache fields are null', async () => {
  const inChat = await ask(chatFormat, chatFormat.body(longQuestion))
  const { json, answer, billed } = await ask(messagesFormat, messagesFormat.body(longQuestion))
  expect(billed.cached_input_tokens).toBeGreaterThan(0)
  expect(answer.input).toBe(inChat.answer.input)
  expect(json).toMatchObject({
    usage: {
      cache_creation_input_tokens: null,
      cache_read_input_tokens: null,
      cache_creation: null,
    },
  })
})

test.each(wireFormats)(
  'complaint of dropped tools: $name shows them to the model',
  async (format) => {
    const { tools, ...without } = weatherQuestion
    const fields = { ...without, maxTokens: 1 }
    const plain = await ask(format, format.body(fields))
    const once = await ask(format, format.body({ ...fields, ...(tools && { tools }) }))
    const [tool] = tools ?? []
    const twice = tool && [tool, { ...tool, name: 'get_forecast' }]
    const more = await ask(format, format.body({ ...fields, ...(twice && { tools: twice }) }))
    expect(once.answer.input).toBeGreaterThan(plain.answer.input)
    expect(more.answer.input).toBeGreaterThan(once.answer.input)
  },
)
