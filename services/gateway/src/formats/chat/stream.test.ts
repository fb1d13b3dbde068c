import { ServiceError } from '@svc/contracts/errors'
import { describe, expect, test } from 'vitest'
import type { AnswerEnding, AnswerHeading, AnswerPart } from '../inference-request.ts'
import { type ParsedChat, parseChatRequest } from './parse.ts'
import { renderChatCompletion } from './render.ts'
import { ChatStream } from './stream.ts'

const heading: AnswerHeading = {
  requestId: 'req_01m7z9y18sk4w6f7thgb0191fz',
  model: 'svc-beta',
  createdAt: 1_700_000_000,
  promptTokens: 130,
  fingerprint: 'abcdef0123456789',
}
const ending: AnswerEnding = {
  finishReason: 'length',
  stopText: null,
  billed: { inputTokens: 2, cachedInputTokens: 128, outputTokens: 7 },
  reasoningTokens: 3,
  cost: 42_100_000n,
  balanceAfter: 1n,
}
const usage = {
  prompt_tokens: 130,
  completion_tokens: 7,
  total_tokens: 137,
  prompt_cache_hit_tokens: 128,
  prompt_tokens_details: { cached_tokens: 128, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 3 },
}

function request(fields: object = {}): ParsedChat {
  const messages = [{ role: 'user', content: 'hi' }]
  return parseChatRequest({ model: 'svc-beta', messages, ...fields })
}

const events = (text: string) =>
  text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)))

describe('without usage', () => {
  const stream = new ChatStream(request({ stream: true }), heading)

  test('every chunk says the same of the answer', () => {
    const text =
      stream.opening() + stream.parts([{ kind: 'text', text: 'a' }]) + stream.ending(ending)
    for (const chunk of events(text)) {
      expect(chunk).toMatchObject({
        id: 'chatcmpl-01m7z9y18sk4w6f7thgb0191fz',
        object: 'chat.completion.chunk',
        created: 1_700_000_000,
        model: 'svc-beta',
        system_fingerprint: 'fp_abcdef012345',
      })
      expect(chunk).not.toHaveProperty('usage')
    }
  })

  test('the end is a finish reason and [DONE]', () => {
    const text = stream.ending(ending)
    expect(events(text)).toMatchObject([{ choices: [{ delta: {}, finish_reason: 'length' }] }])
    expect(text.endsWith('}\n\ndata: [DONE]\n\n')).toBe(true)
  })

  test('parts without text are no events', () => {
    expect(stream.parts([{ kind: 'text', text: '' }])).toBe('')
  })

  test('an event is one line, whatever the model says', () => {
    const text = stream.parts([{ kind: 'text', text: 'a\n\nb\r\u2028\u2029c' }])
    expect(text.slice(0, -2)).not.toMatch(/[\n\r\u2028\u2029]/)
    expect(events(text)[0].choices[0].delta.content).toBe('a\n\nb\r\u2028\u2029c')
  })

  test('a failure is an error with all four keys, and no [DONE]', () => {
    const text = stream.failure(new ServiceError('worker_failed', 'It failed.'))
    expect(text).toBe(
      'data: {"error":{"message":"It failed.","type":"server_error","param":null,"code":"worker_failed"}}\n\n',
    )
  })
})

test('with usage, it comes last, with no choices, and is null before', () => {
  const asked = request({ stream: true, stream_options: { include_usage: true } })
  const stream = new ChatStream(asked, heading)
  const chunks = events(stream.opening() + stream.ending(ending))
  expect(chunks.map((chunk) => chunk.usage)).toMatchObject([null, null, usage])
  expect(chunks.at(-1).choices).toEqual([])
})

test('a whole answer has the same usage, and reasoning apart', () => {
  const body = renderChatCompletion(
    request({ metadata: { a: 'b' } }),
    heading,
    [
      { kind: 'reasoning', text: 'hm' },
      { kind: 'text', text: 'a' },
      { kind: 'text', text: 'b' },
    ],
    ending,
  )
  expect(JSON.parse(body)).toMatchObject({
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: 'length',
        logprobs: null,
        message: { role: 'assistant', content: 'ab', refusal: null, reasoning_content: 'hm' },
      },
    ],
    usage,
    metadata: { a: 'b' },
  })
})

describe('calls of tools', () => {
  const parts: AnswerPart[] = [
    { kind: 'text', text: 'I look.' },
    { kind: 'tool_call', index: 0, name: 'a' },
    { kind: 'arguments', index: 0, text: '{"x"' },
    { kind: 'arguments', index: 0, text: ':1}' },
    { kind: 'tool_call', index: 1, name: 'b' },
    { kind: 'arguments', index: 1, text: '{}' },
  ]
  const called: AnswerEnding = { ...ending, finishReason: 'tool_calls' }
  const id = (index: number) => `call_01m7z9y18sk4w6f7thgb0191fz_${index}`

  test('complaint 8: have index, id and type first, then their arguments', () => {
    const stream = new ChatStream(request({ stream: true }), heading)
    const chunks = events(stream.parts(parts) + stream.ending(called))
    expect(chunks.map(({ choices }) => choices[0].delta.tool_calls?.[0])).toEqual([
      undefined,
      { index: 0, id: id(0), type: 'function', function: { name: 'a', arguments: '' } },
      { index: 0, function: { arguments: '{"x"' } },
      { index: 0, function: { arguments: ':1}' } },
      { index: 1, id: id(1), type: 'function', function: { name: 'b', arguments: '' } },
      { index: 1, function: { arguments: '{}' } },
      undefined,
    ])
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] })
  })

  test('are the same in a whole answer', () => {
    const body = JSON.parse(renderChatCompletion(request(), heading, parts, called))
    expect(body.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'I look.',
        tool_calls: [
          { id: id(0), type: 'function', function: { name: 'a', arguments: '{"x":1}' } },
          { id: id(1), type: 'function', function: { name: 'b', arguments: '{}' } },
        ],
      },
    })
  })

  test('alone leave the content null', () => {
    const body = JSON.parse(renderChatCompletion(request(), heading, parts.slice(1), called))
    expect(body.choices[0].message.content).toBeNull()
  })
})

test('log probabilities ride with their text, whole and streamed', () => {
  const top = [{ token: 'a', bytes: [97], logprob: -0.5 }]
  const logprobs = [{ token: 'a', bytes: [97], logprob: -0.5, top }]
  const chat = request({ stream: true, logprobs: true, top_logprobs: 1 })
  const parts: AnswerPart[] = [{ kind: 'text', text: 'a', logprobs }]
  const content = [{ token: 'a', bytes: [97], logprob: -0.5, top_logprobs: top }]
  const [chunk] = events(new ChatStream(chat, heading).parts(parts))
  expect(chunk.choices[0].logprobs).toEqual({ content, refusal: null })
  const body = JSON.parse(renderChatCompletion(chat, heading, parts, ending))
  expect(body.choices[0].logprobs).toEqual({ content, refusal: null })
})

test('log probabilities of text that is held back come without it, whole and streamed', () => {
  const of = (token: string) => ({ token, bytes: null, logprob: -0.5, top: [] })
  const chat = request({ stream: true, logprobs: true })
  const parts: AnswerPart[] = [
    { kind: 'text', text: '', logprobs: [of('a')] },
    { kind: 'text', text: 'abc', logprobs: [of('b'), of('c')] },
  ]
  const told = (choices: readonly { logprobs: { content: readonly { token: string }[] } }[]) =>
    choices.flatMap(({ logprobs }) => logprobs.content.map(({ token }) => token))
  const chunks = events(new ChatStream(chat, heading).parts(parts))
  expect(told(chunks.flatMap(({ choices }) => choices))).toEqual(['a', 'b', 'c'])
  const body = JSON.parse(renderChatCompletion(chat, heading, parts, ending))
  expect(told(body.choices)).toEqual(['a', 'b', 'c'])
})
