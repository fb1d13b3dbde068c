import { ServiceError } from '@svc/contracts/errors'
import { describe, expect, test } from 'vitest'
import type { AnswerEnding, AnswerHeading, AnswerPart } from '../inference-request.ts'
import { parseMessagesRequest } from './parse.ts'
import { renderMessage } from './render.ts'
import { MessagesStream } from './stream.ts'

const heading: AnswerHeading = {
  requestId: 'req_01m7z9y18sk4w6f7thgb0191fz',
  model: 'svc-beta',
  createdAt: 1_700_000_000,
  promptTokens: 130,
  fingerprint: 'abcdef0123456789',
}
const ending: AnswerEnding = {
  finishReason: 'stop',
  stopText: null,
  billed: { inputTokens: 2, cachedInputTokens: 128, outputTokens: 7 },
  reasoningTokens: 3,
  cost: 42_100_000n,
  balanceAfter: 1n,
}
const parts: AnswerPart[] = [
  { kind: 'reasoning', text: 'h' },
  { kind: 'reasoning', text: 'm' },
  { kind: 'text', text: 'I ' },
  { kind: 'text', text: 'look\u2028.' },
  { kind: 'tool_call', index: 0, name: 'a' },
  { kind: 'arguments', index: 0, text: '{"x":' },
  { kind: 'arguments', index: 0, text: '1}' },
  { kind: 'tool_call', index: 1, name: 'b' },
]
const parsed = (fields: object = {}) =>
  parseMessagesRequest({
    model: 'svc-beta',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'hi' }],
    ...fields,
  })

function streamed(of: readonly AnswerPart[], end = ending, fields = {}): Record<string, unknown>[] {
  const stream = new MessagesStream(parsed(fields), heading)
  const text = stream.opening() + stream.parts(of) + stream.ending(end)
  return text
    .split('\n\n')
    .filter((each) => each !== '')
    .map((each) => {
      const [name, data = '', ...rest] = each.split('\n')
      expect(rest).toEqual([])
      const json = JSON.parse(data.replace(/^data: /, ''))
      expect(name).toBe(`event: ${json.type}`)
      return json
    })
}

interface ClientEvent {
  readonly type: string
  readonly index: number
  readonly content_block?: Record<string, unknown>
  readonly delta?: Readonly<Record<string, string>>
}

/** Assembles what a client makes of the events. */
function assembled(events: readonly Record<string, unknown>[]): unknown[] {
  const blocks: { block: Record<string, unknown>; json: string }[] = []
  for (const event of events as unknown as ClientEvent[]) {
    if (event.type === 'content_block_start') {
      expect(event.index).toBe(blocks.length)
      blocks.push({ block: { ...event.content_block }, json: '' })
    }
    const last = blocks.at(-1)
    if (event.delta === undefined || last === undefined || !('index' in event)) continue
    expect(event.index).toBe(blocks.length - 1)
    const { text, thinking, signature, partial_json } = event.delta
    if (text !== undefined) last.block.text += text
    if (thinking !== undefined) last.block.thinking += thinking
    if (signature !== undefined) last.block.signature = signature
    if (partial_json !== undefined) last.json += partial_json
  }
  return blocks.map(({ block, json }) =>
    block.type === 'tool_use' ? { ...block, input: JSON.parse(json) } : block,
  )
}

const whole = (of: readonly AnswerPart[], end = ending, fields = {}) =>
  JSON.parse(renderMessage(parsed(fields), heading, of, end))

const usage = {
  input_tokens: 130,
  output_tokens: 7,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
  cache_creation: null,
  output_tokens_details: { thinking_tokens: 3 },
  server_tool_use: null,
  service_tier: 'standard',
  inference_geo: null,
  speed: null,
}

test('a whole message has every key, and all billed input as input', () => {
  expect(whole([{ kind: 'text', text: 'a' }])).toEqual({
    id: 'msg_01m7z9y18sk4w6f7thgb0191fz',
    type: 'message',
    role: 'assistant',
    model: 'svc-beta',
    content: [{ type: 'text', text: 'a', citations: null }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: { ...usage, cost: '0.0000421' },
  })
})

test('blocks of all kinds are the same, whole and streamed', () => {
  const { content } = whole(parts)
  expect(content).toEqual([
    { type: 'thinking', thinking: 'hm', signature: expect.any(String) },
    { type: 'text', text: 'I look\u2028.', citations: null },
    {
      type: 'tool_use',
      id: 'toolu_01m7z9y18sk4w6f7thgb0191fz_0',
      name: 'a',
      input: { x: 1 },
      caller: { type: 'direct' },
    },
    expect.objectContaining({ id: 'toolu_01m7z9y18sk4w6f7thgb0191fz_1', name: 'b', input: {} }),
  ])
  expect(assembled(streamed(parts))).toEqual(content)
})

test('thinking that is not to be shown leaves its block, and no text', () => {
  const hidden = { thinking: { type: 'adaptive', display: 'omitted' } }
  const { content } = whole(parts, ending, hidden)
  expect(content[0]).toMatchObject({ type: 'thinking', thinking: '' })
  expect(assembled(streamed(parts, ending, hidden))).toEqual(content)
})

test('an answer without a word has an empty text', () => {
  expect(whole([]).content).toEqual([{ type: 'text', text: '', citations: null }])
  expect(assembled(streamed([]))).toEqual(whole([]).content)
})

describe('a stream', () => {
  test('complaint 6: begins with the real input, and ends with what was billed', () => {
    const events = streamed(parts)
    expect(events[0]).toMatchObject({
      type: 'message_start',
      message: { content: [], stop_reason: null, usage: { input_tokens: 130, output_tokens: 0 } },
    })
    expect(events[1]).toEqual({ type: 'ping' })
    expect(events.at(-2)).toMatchObject({ type: 'message_delta', usage })
    expect(events.at(-1)).toEqual({ type: 'message_stop' })
  })

  test('that breaks ends with an error event that has the id of the request', () => {
    const stream = new MessagesStream(parsed(), heading)
    const text = stream.failure(new ServiceError('worker_failed', 'It failed.'))
    expect(text).toMatch(/^event: error\ndata: {"type":"error",.*"message":"It failed\.".*}\n\n$/)
    expect(text).toContain('"request_id":"req_01m7z9y18sk4w6f7thgb0191fz"')
  })
})

test.each([
  [{ finishReason: 'stop' as const }, 'end_turn', null],
  [{ finishReason: 'stop' as const, stopText: 'END' }, 'stop_sequence', 'END'],
  [{ finishReason: 'length' as const }, 'max_tokens', null],
  [{ finishReason: 'tool_calls' as const }, 'tool_use', null],
])('%j is told as %s', (fields, stop_reason, stop_sequence) => {
  const end = { ...ending, ...fields }
  expect(whole([], end)).toMatchObject({ stop_reason, stop_sequence })
  expect(streamed([], end).at(-2)).toMatchObject({ delta: { stop_reason, stop_sequence } })
})
