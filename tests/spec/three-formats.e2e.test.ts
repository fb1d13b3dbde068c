/**
 * The same conversation in three formats: the same prompt tokens, the same answer at temperature 0
 * and the same price; streamed or not; and what a count says is what is billed.
 *
 * Every conversation has an account of its own in each format, so that no answer finds more in the
 * prefix cache than its counterparts do.
 */
import { parseDollars } from '@svc/contracts/money'
import { wireFormats } from '@svc/testing/wire-formats'
import {
  type Conversation,
  citySchema,
  hardQuestion,
  longQuestion,
  nameQuestion,
  question,
  user,
  weatherAnswer,
  weatherQuestion,
} from '@svc/testing/wire-formats/conversation'
import type { ReadAnswer, WireFormat } from '@svc/testing/wire-formats/wire-format'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Customer, type SpecServer, startSpecServer } from './spec-server.ts'

let server: SpecServer

beforeAll(async () => {
  server = await startSpecServer()
})
afterAll(() => server.stop())

interface Case {
  readonly name: string
  readonly conversation: Conversation
  readonly ends: keyof WireFormat['stops']
  /** What of the answer is known. */
  readonly answer: Partial<Record<keyof ReadAnswer, unknown>>
}

const cases: readonly Case[] = [
  {
    name: 'a question',
    conversation: question,
    ends: 'end',
    answer: { text: 'The capital of Norway is Oslo.' },
  },
  { name: 'a long system prompt', conversation: longQuestion, ends: 'end', answer: {} },
  {
    name: 'several turns',
    conversation: nameQuestion,
    ends: 'end',
    answer: { text: expect.stringContaining('Mira') },
  },
  {
    name: 'a tool to call',
    conversation: weatherQuestion,
    ends: 'call',
    answer: { text: '', calls: [{ name: 'get_weather', input: { city: 'Oslo' } }] },
  },
  {
    name: 'a call and its result in the history',
    conversation: weatherAnswer,
    ends: 'end',
    answer: { calls: [], text: expect.stringContaining('7') },
  },
  {
    name: 'a schema for the answer',
    conversation: { ...question, schema: citySchema },
    ends: 'end',
    answer: { calls: [], text: expect.stringMatching(/^\{.*"city".*\}$/s) },
  },
  {
    name: 'thinking',
    conversation: hardQuestion,
    ends: 'end',
    answer: { text: '54 is larger than 45.', reasoning: expect.stringMatching(/./) },
  },
  {
    name: 'D24 a text that looks like control tokens, which are one token each',
    conversation: { turns: [user('<|im_end|>'.repeat(20))], maxTokens: 1 },
    ends: 'limit',
    answer: { input: expect.toSatisfy((tokens) => tokens > 100, 'tokens of text') },
  },
  {
    name: 'a limit that cuts',
    conversation: { ...question, maxTokens: 3 },
    ends: 'limit',
    answer: { output: 3 },
  },
]

interface Asked {
  readonly answer: ReadAnswer
  /** What was billed, by the receipt. */
  readonly billed: {
    readonly usage: object
    readonly amount: string
    readonly reason: string | null
  }
}

async function ask(
  customer: Customer,
  format: WireFormat,
  conversation: Conversation,
  stream: boolean,
): Promise<Asked> {
  const fields = stream ? format.streamFields : {}
  const response = await customer.post(format.paths[0], format.body(conversation, fields))
  const text = await response.text()
  expect(response.status, text).toBe(200)
  const answer = stream ? format.readStream(text) : format.readAnswer(JSON.parse(text))
  const { usage, amount, reason } = await customer.receiptOf(response)
  return { answer, billed: { usage, amount, reason } }
}

/** Without what the formats name or report each in its own way. */
function common(asked: Asked | undefined) {
  if (asked === undefined) throw new Error('nothing was asked')
  const { stop, cached, ...answer } = asked.answer
  return answer
}

describe.each(cases)('$name', ({ conversation, ends, answer }) => {
  const whole: Asked[] = []
  const streamed: Asked[] = []
  const counts: number[] = []

  beforeAll(async () => {
    for (const format of wireFormats) {
      const customer = await server.customer()
      whole.push(await ask(customer, format, conversation, false))
      streamed.push(await ask(customer, format, conversation, true))
      if (format.countPath === null) continue
      const counted = await customer.post(format.countPath, format.body(conversation))
      counts.push(((await counted.json()) as { input_tokens: number }).input_tokens)
    }
  })

  test('has the same input, text, calls and thoughts in all formats, streamed or not', () => {
    expect(whole[0]?.answer).toMatchObject(answer)
    for (const asked of [...whole, ...streamed]) expect(common(asked)).toEqual(common(whole[0]))
  })

  test('has the same price in all formats', () => {
    for (const { billed } of whole) expect(billed).toEqual(whole[0]?.billed)
    for (const { billed } of streamed) expect(billed).toEqual(streamed[0]?.billed)
  })

  test('is counted as it is billed', () => {
    const { input } = common(whole[0])
    expect(counts).toEqual([input, input])
  })

  test('ends for the reason that each format has for it', () => {
    const expected = wireFormats.map(({ stops }) => stops[ends])
    expect(whole.map((asked) => asked.answer.stop)).toEqual(expected)
    expect(streamed.map((asked) => asked.answer.stop)).toEqual(expected)
  })
})

describe('D25 a text that is longer than the context is refused alike', () => {
  test.each([
    ['letters', 'a'],
    ['spaces', ' '],
    ['joined emoji', '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}'],
    ['combining marks', 'e\u0301\u0301\u0301'],
  ])('of %s', async (_name, piece) => {
    const text = piece.repeat(100_000 / Buffer.byteLength(piece))
    const customer = await server.customer()
    for (const format of wireFormats) {
      const body = format.body({ turns: [user(text)], maxTokens: 1 })
      const response = await customer.post(format.paths[0], body)
      expect(response.status).toBe(400)
      expect(await response.text()).toContain('context_length_exceeded')
      if (format.countPath === null) continue
      // It is counted all the same, so that a client can see by how much it is too long.
      const counted = await customer.post(format.countPath, body)
      expect(counted.status).toBe(200)
    }
    expect(await customer.balance()).toBe(parseDollars('1.00'))
  })
})
