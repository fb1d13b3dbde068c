import { ServiceError } from '@svc/contracts/errors'
import { describe, expect, test } from 'vitest'
import type { AnswerEnding, AnswerHeading, InferenceRequest } from '../../inference-request.ts'
import { parseChatRequest } from './parse.ts'
import { renderChatCompletion } from './render.ts'
import { ChatStream } from './stream.ts'

const heading: AnswerHeading = {
  requestId: 'req_01m7z9y18sk4w6f7thgb0191fz',
  model: 'svc-beta',
  createdAt: 1_700_000_000,
  fingerprint: 'abcdef0123456789',
}
const ending: AnswerEnding = {
  finishReason: 'length',
  stopText: null,
  billed: { inputTokens: 2, cachedInputTokens: 128, outputTokens: 7 },
  reasoningTokens: 3,
}
const usage = {
  prompt_tokens: 130,
  completion_tokens: 7,
  total_tokens: 137,
  prompt_cache_hit_tokens: 128,
  prompt_tokens_details: { cached_tokens: 128, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 3 },
}

function request(fields: object = {}): InferenceRequest {
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
