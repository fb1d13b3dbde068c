/**
 * The interface specification, field by field, where it is about requests and answers: sections
 * 2.2 to 2.4, 4, 4.2 and 4.3. The statuses of section 3 are the stop reasons of these. The answers
 * are of the real server with the bundled model.
 */

import { wireFormats } from '@svc/testing/wire-formats'
import { chatFormat } from '@svc/testing/wire-formats/chat-format'
import {
  type Conversation,
  hardQuestion,
  nameQuestion,
  question,
  weatherQuestion,
} from '@svc/testing/wire-formats/conversation'
import { messagesFormat } from '@svc/testing/wire-formats/messages-format'
import { responsesFormat } from '@svc/testing/wire-formats/responses-format'
import type { WireFormat } from '@svc/testing/wire-formats/wire-format'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Customer, type SpecServer, startSpecServer } from './spec-server.ts'

let server: SpecServer
let customer: Customer

beforeAll(async () => {
  server = await startSpecServer()
  customer = await server.customer()
})
afterAll(() => server.stop())

async function ask(format: WireFormat, conversation: Conversation, fields: object = {}) {
  const response = await customer.post(format.paths[0], format.body(conversation, fields))
  const body = (await response.json()) as Record<string, unknown>
  expect(response.status, JSON.stringify(body)).toBe(200)
  return { body, response, answer: format.readAnswer(body) }
}

const cut = { ...question, maxTokens: 2 }
const integer = expect.toSatisfy((value) => Number.isInteger(value), 'an integer')
const identifier = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}\\w+$`))
/** In seconds, and just now. */
const recently = expect.toSatisfy(
  (value) => Number.isInteger(value) && Math.abs(Date.now() / 1_000 - value) < 60,
  'a moment ago in Unix seconds',
)

/** A field by its path, such as `choices[].message.role`; `[]` is the first element. */
function field(body: unknown, path: string): unknown {
  return path
    .replaceAll('[]', '.0')
    .split('.')
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], body)
}

type Row = readonly [path: string, value: unknown]

describe('2.2 a chat-completions answer', () => {
  let body: unknown
  beforeAll(async () => {
    body = (await ask(chatFormat, question)).body
  })

  test.each<Row>([
    ['id', identifier('chatcmpl-')],
    ['object', 'chat.completion'],
    ['created', recently],
    ['model', 'svc-beta'],
    ['choices', expect.any(Array)],
    ['choices[].index', 0],
    ['choices[].message.role', 'assistant'],
    ['choices[].message.content', 'The capital of Norway is Oslo.'],
    ['choices[].finish_reason', 'stop'],
    ['usage.prompt_tokens', integer],
    ['usage.completion_tokens', integer],
    ['usage.total_tokens', integer],
    ['usage.prompt_cache_hit_tokens', integer],
  ])('2.2 %s', (path, value) => {
    expect(field(body, path)).toEqual(value)
  })

  test('2.2 usage.total_tokens is the sum of the two', () => {
    const count = (name: string) => Number(field(body, `usage.${name}_tokens`))
    expect(count('total')).toBe(count('prompt') + count('completion'))
  })

  test.each<readonly [string, Conversation]>([
    ['length', cut],
    ['tool_calls', weatherQuestion],
  ])('2.2 choices[].finish_reason %s', async (reason, conversation) => {
    const { body: other } = await ask(chatFormat, conversation)
    expect(field(other, 'choices[].finish_reason')).toBe(reason)
  })
})

describe('2.3 a responses-format answer', () => {
  let body: unknown
  beforeAll(async () => {
    body = (await ask(responsesFormat, question)).body
  })

  test.each<Row>([
    ['id', identifier('resp_')],
    ['status', 'completed'],
    ['model', 'svc-beta'],
    ['output', expect.any(Array)],
    ['output[].type', 'message'],
    ['output[].role', 'assistant'],
    ['output[].content', expect.any(Array)],
    ['output[].content[].type', 'output_text'],
    ['output[].content[].text', 'The capital of Norway is Oslo.'],
    ['usage.input_tokens', integer],
    ['usage.output_tokens', integer],
    ['usage.total_tokens', integer],
    ['usage.input_tokens_details.cached_tokens', integer],
  ])('2.3 %s', (path, value) => {
    expect(field(body, path)).toEqual(value)
  })

  test('2.3 usage.total_tokens is the sum of the two', () => {
    const count = (name: string) => Number(field(body, `usage.${name}_tokens`))
    expect(count('total')).toBe(count('input') + count('output'))
  })

  test('2.3 status incomplete', async () => {
    expect((await ask(responsesFormat, cut)).body).toMatchObject({ status: 'incomplete' })
  })

  test('2.3 output holds items of more than one kind', async () => {
    const { body: thought } = await ask(responsesFormat, hardQuestion)
    expect(thought.output).toMatchObject([{ type: 'reasoning' }, { type: 'message' }])
    const { body: called } = await ask(responsesFormat, weatherQuestion)
    expect(called.output).toMatchObject([{ type: 'function_call' }])
  })
})

describe('2.4 a messages-format answer', () => {
  let body: unknown
  beforeAll(async () => {
    body = (await ask(messagesFormat, question)).body
  })

  test.each<Row>([
    ['model', 'svc-beta'],
    ['content[].type', 'text'],
    ['content[].text', 'The capital of Norway is Oslo.'],
    ['stop_reason', 'end_turn'],
    ['usage.input_tokens', integer],
    ['usage.output_tokens', integer],
  ])('2.4 %s', (path, value) => {
    expect(field(body, path)).toEqual(value)
  })

  test('2.4 cached tokens are not reported', () => {
    const usage = Object.entries(field(body, 'usage') as object)
    const reported = usage.filter(([name, value]) => name.includes('cache') && value !== null)
    expect(reported).toEqual([])
  })

  test.each<readonly [string, Conversation]>([
    ['max_tokens', cut],
    ['tool_use', weatherQuestion],
  ])('2.4 stop_reason %s', async (reason, conversation) => {
    expect((await ask(messagesFormat, conversation)).body).toMatchObject({ stop_reason: reason })
  })
})

describe('4 /pro/v1', () => {
  test.each([chatFormat, responsesFormat])('4 $name is answered under it', async (format) => {
    const [path, pro = ''] = format.paths
    expect(pro).toBe(`/pro${path}`)
    const answers = [path, pro].map((each) => customer.post(each, format.body(question)))
    const [first, second] = await Promise.all(
      answers.map(async (answer) => format.readAnswer(await (await answer).json())),
    )
    expect(second).toEqual(first)
  })
})

describe('4.2 request fields', () => {
  const system = 'You are a pirate. Talk like a pirate.'

  test.each(wireFormats)('4.2 $name: model is required', async (format) => {
    const { model, ...body } = format.body(question) as Record<string, unknown>
    const response = await customer.post(format.paths[0], body)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('model')
  })

  test.each(wireFormats)('4.2 $name: the conversation', async (format) => {
    expect((await ask(format, nameQuestion)).answer.text).toContain('Mira')
  })

  test.each(wireFormats)('4.2 $name: the system prompt', async (format) => {
    const plain = await ask(format, question)
    const { answer } = await ask(format, { ...question, system })
    expect(answer.input).toBeGreaterThan(plain.answer.input)
  })

  test.each([
    ['system', { role: 'system', content: system }],
    ['developer', { role: 'developer', content: system }],
  ])('4.2 chat: a message of the role %s is the system prompt', async (_role, message) => {
    const { answer: asSystem } = await ask(chatFormat, { ...question, system })
    const messages = [message, { role: 'user', content: 'What is the capital city of Norway?' }]
    expect((await ask(chatFormat, question, { messages })).answer).toEqual(asSystem)
  })

  test.each(wireFormats)('4.2 $name: the thinking level high', async (format) => {
    const { answer } = await ask(format, hardQuestion)
    expect(answer.reasoning).not.toBe('')
    expect(answer.text).toBe('54 is larger than 45.')
  })
})

describe.each(wireFormats)('4.3 where to read the answer: $name', (format) => {
  test('4.3 answer text, billed tokens, cached tokens and stop reason', async () => {
    const { response, answer } = await ask(format, question)
    const { usage } = await customer.receiptOf(response)
    expect(answer).toEqual({
      model: 'svc-beta',
      text: 'The capital of Norway is Oslo.',
      reasoning: '',
      calls: [],
      stop: format.stops.end,
      input: usage.input_tokens + usage.cached_input_tokens,
      output: usage.output_tokens,
      cached: format.name === 'messages' ? null : usage.cached_input_tokens,
    })
  })

  test.each(['limit', 'call'] as const)('4.3 stop reason of a %s', async (kind) => {
    const { answer } = await ask(format, kind === 'limit' ? cut : weatherQuestion)
    expect(answer.stop).toBe(format.stops[kind])
  })
})
