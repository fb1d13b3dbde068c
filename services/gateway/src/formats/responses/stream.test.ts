import { ServiceError } from '@svc/contracts/errors'
import { makeId } from '@svc/contracts/ids'
import { responsesStreamEvent } from '@svc/contracts/wire/responses'
import { AesTextSeal } from '@svc/infra/text-seal/aes-text-seal'
import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import type { AnswerEnding, AnswerHeading, AnswerPart } from '../inference-request.ts'
import { wholeResponse } from './format.ts'
import type { OutputItem } from './items/items.ts'
import { parseResponsesRequest } from './parse.ts'
import type { ResponseObject } from './response-object.ts'
import { ResponseStore } from './response-store.ts'
import { ResponsesStream } from './stream.ts'

const heading: AnswerHeading = {
  requestId: makeId('req', 1_800_000_000_000, new Uint8Array(10)),
  model: 'svc-beta',
  createdAt: 1_800_000_000,
  fingerprint: 'fingerprint',
  promptTokens: 5,
}
const ending: AnswerEnding = {
  finishReason: 'stop',
  stopText: null,
  billed: { inputTokens: 4, cachedInputTokens: 1, outputTokens: 3 },
  reasoningTokens: 1,
  cost: 42_100_000n,
  balanceAfter: 1n,
}
const now = () => 1_800_000_007

const textSeal = new AesTextSeal('the secret of the test')
const store = new ResponseStore({
  bodyTurns: { run: async (_account, work) => work() },
  storedResponses: {
    save: async () => {},
    load: async () => undefined,
    remove: async () => false,
    removeAll: async () => 0,
    removeExpired: async () => 0,
    close: async () => {},
  },
  clock: { nowMs: () => 0 },
})

const tools = [
  { type: 'function', name: 'look', parameters: {} },
  { type: 'namespace', name: 'group', description: '', tools: [{ type: 'custom', name: 'write' }] },
]

async function parsed(fields: object = {}) {
  const body = { model: 'svc-beta', input: 'hello', tools, ...fields }
  const context = { requestId: heading.requestId, accountId: 'acct_1' }
  return parseResponsesRequest(body, context, { store, textSeal })
}

async function opened(fields: object = {}) {
  const ends: ResponseObject[] = []
  const onEnd = (response: ResponseObject) => void ends.push(response)
  return {
    stream: new ResponsesStream({ parsed: await parsed(fields), heading, now, onEnd }),
    ends,
  }
}

interface Sent {
  readonly type: string
  readonly sequence_number: number
  readonly output_index?: number
  readonly item_id?: string
  readonly item?: { readonly id: string }
  readonly response?: ResponseObject
  readonly logprobs?: readonly { readonly token: string }[]
}

function sent(text: string): Sent[] {
  const blocks = text.split('\n\n').filter((block) => block !== '' && block !== 'data: [DONE]')
  return blocks.map((block) => {
    const [, name, data] = /^event: (.+)\ndata: (.+)$/.exec(block) ?? []
    const event = JSON.parse(data ?? 'null')
    expect(event.type).toBe(name)
    expect(responsesStreamEvent.parse(event)).toEqual(event)
    return event
  })
}

const everything: AnswerPart[] = [
  { kind: 'reasoning', text: 'a' },
  { kind: 'reasoning', text: 'b' },
  { kind: 'text', text: '' },
  { kind: 'text', text: 'c' },
  { kind: 'tool_call', index: 0, name: 'look' },
  { kind: 'arguments', index: 0, text: '{"x":' },
  { kind: 'arguments', index: 0, text: '1}' },
  { kind: 'tool_call', index: 1, name: 'group__write' },
  { kind: 'arguments', index: 1, text: '{"input":"d"}' },
  { kind: 'tool_call', index: 2, name: 'look' },
  { kind: 'text', text: 'e' },
]

describe('a stream of a response', () => {
  test('ends with the very response that a whole answer would have been', async () => {
    const { stream, ends } = await opened()
    stream.opening()
    stream.parts(everything)
    const last = sent(stream.ending(ending)).at(-1)
    const whole = wholeResponse(await parsed(), heading, everything, ending, now())
    expect(last?.response).toEqual(whole)
    expect(ends).toEqual([whole])
    expect(whole.output.map(({ type }) => type)).toEqual([
      'reasoning',
      'message',
      'function_call',
      'custom_tool_call',
      'function_call',
      'message',
    ])
    expect(whole.output[3]).toMatchObject({ name: 'write', namespace: 'group', input: 'd' })
  })

  test('numbers its events from 0, in whatever pieces the parts come', async () => {
    const { stream } = await opened()
    // The opening is asked for when there is something to send behind it.
    const first = stream.parts(everything.slice(0, 1))
    const texts = [stream.opening(), first, stream.keepAlive()]
    for (const part of everything.slice(1)) texts.push(stream.parts([part]))
    const events = sent(texts.join('') + stream.ending(ending))
    expect(events.map((event) => event.sequence_number)).toEqual(Array.from(events.keys()))
  })

  test('names each item alike from its beginning to its end', async () => {
    const { stream } = await opened()
    const events = sent(stream.opening() + stream.parts(everything) + stream.ending(ending))
    const ids = new Map<number, Set<string>>()
    for (const { output_index: index, item_id, item } of events) {
      if (index === undefined) continue
      const id = item_id ?? item?.id ?? 'none'
      ids.set(index, (ids.get(index) ?? new Set()).add(id))
    }
    expect([...ids.values()].map((names) => names.size)).toEqual([1, 1, 1, 1, 1, 1])
    expect(new Set([...ids.values()].flatMap((names) => [...names])).size).toBe(6)
  })

  test('tells the log probabilities of text that is held back, and in the end all of them', async () => {
    const of = (token: string) => ({ token, bytes: null, logprob: -0.5, top: [] })
    const { stream, ends } = await opened({ include: ['message.output_text.logprobs'] })
    const events = sent(
      stream.parts([
        { kind: 'text', text: '', logprobs: [of('a')] },
        { kind: 'text', text: 'abc', logprobs: [of('b'), of('c')] },
      ]) + stream.ending(ending),
    )
    const told = (type: string) =>
      events
        .filter((event) => event.type === type)
        .flatMap(({ logprobs = [] }) => logprobs.map(({ token }) => token))
    expect(told('response.output_text.delta')).toEqual(['a', 'b', 'c'])
    expect(told('response.output_text.done')).toEqual(['a', 'b', 'c'])
    const logprobs = ['a', 'b', 'c'].map((token) => expect.objectContaining({ token }))
    expect(ends[0]?.output).toMatchObject([{ content: [{ text: 'abc', logprobs }] }])
  })

  test('is ended by nothing that the model says', async () => {
    const { stream } = await opened()
    const text = '\n\ndata: [DONE]\n\n\u2028event: response.completed'
    const events = sent(stream.parts([{ kind: 'text', text }]))
    expect(events.map(({ type }) => type)).toEqual([
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
    ])
    expect(events[2]).toMatchObject({ delta: text })
    expect(stream.parts([{ kind: 'text', text }])).not.toContain('\u2028')
  })

  test('cut in a call says so of the call, and of the response', async () => {
    const { stream, ends } = await opened()
    stream.parts(everything.slice(4, 6))
    stream.ending({ ...ending, finishReason: 'length' })
    expect(ends[0]).toMatchObject({
      status: 'incomplete',
      completed_at: null,
      output: [{ type: 'function_call', arguments: '{"x":', status: 'incomplete' }],
    })
  })

  test('that was cut while it thought has no message', async () => {
    const { stream, ends } = await opened()
    stream.parts(everything.slice(0, 2))
    stream.ending({ ...ending, finishReason: 'length' })
    expect(ends[0]?.output.map(({ type }) => type)).toEqual(['reasoning'])
  })

  test('that failed tells the error twice, and keeps nothing', async () => {
    const { stream, ends } = await opened()
    stream.parts(everything.slice(0, 4))
    const error = new ServiceError('insufficient_quota', 'The balance is used up.')
    const text = stream.failure(error)
    expect(sent(text)).toMatchObject([
      { type: 'error', code: 'insufficient_quota', error: { type: 'insufficient_quota' } },
      {
        type: 'response.failed',
        response: {
          status: 'failed',
          error: { code: 'insufficient_quota' },
          output: [{ type: 'reasoning' }, { type: 'message', status: 'incomplete' }],
        },
      },
    ])
    expect(text).not.toContain('[DONE]')
    expect(ends).toEqual([])
  })
})

type Plain<T> = T extends readonly (infer E)[]
  ? Plain<E>[]
  : T extends object
    ? { -readonly [K in keyof T]: Plain<T[K]> }
    : T

/** Shows TypeScript types that it has to accept; it is never run. */
export function typesOfTheClient(
  item: Plain<OutputItem>,
  response: Plain<Omit<ResponseObject, 'text' | 'tools' | 'tool_choice'>>,
): unknown {
  const outputItem: OpenAI.Responses.ResponseOutputItem = item
  const { reasoning, error, user, usage, ...fields } = response
  const shown: Partial<OpenAI.Responses.Response> = fields
  const spent: OpenAI.Responses.ResponseUsage | null = usage
  return { outputItem, shown, spent, reasoning, error, user }
}
