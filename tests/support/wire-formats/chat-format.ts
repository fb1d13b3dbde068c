/** Chat completions, as the tests of the specification write and read them. */
import { chatCompletion, chatCompletionChunk, type chatUsage } from '@svc/contracts/wire/chat'
import type { Turn } from './conversation.ts'
import { commonFields, DEFAULT_MAX_TOKENS, eventsOf, type WireFormat } from './wire-format.ts'

export const chatFormat: WireFormat = {
  name: 'chat',
  family: 'openai',
  paths: ['/v1/chat/completions', '/pro/v1/chat/completions'],
  countPath: null,
  stops: { end: 'stop', limit: 'length', call: 'tool_calls' },
  streamFields: { stream: true, stream_options: { include_usage: true } },
  body: ({ system, turns, tools, schema, effort, maxTokens = DEFAULT_MAX_TOKENS }, fields) => ({
    ...commonFields,
    max_tokens: maxTokens,
    messages: [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      ...turns.map(messageOf),
    ],
    ...(tools && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(schema && {
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    }),
    ...(effort && { reasoning_effort: effort }),
    ...fields,
  }),
  readAnswer: (body) => {
    const { model, choices, usage } = chatCompletion.parse(body)
    const [choice] = choices
    const calls = choice?.message.tool_calls ?? []
    return {
      model,
      text: choice?.message.content ?? '',
      reasoning: choice?.message.reasoning_content ?? '',
      calls: calls.map(({ function: { name, arguments: text } }) => callOf(name, text)),
      stop: choice?.finish_reason ?? '',
      ...tokensOf(usage),
    }
  },
  readStream: (stream) => {
    const chunks = eventsOf(stream).map((event) => chatCompletionChunk.parse(event))
    const choices = chunks.flatMap((chunk) => chunk.choices)
    const called: { name: string; text: string }[] = []
    for (const { delta } of choices) {
      for (const { index, function: piece } of delta.tool_calls ?? []) {
        const before = called[index] ?? { name: '', text: '' }
        const name = before.name + (piece.name ?? '')
        called[index] = { name, text: before.text + piece.arguments }
      }
    }
    const usage = chunks.at(-1)?.usage
    if (!usage) throw new Error('the last chunk has no usage')
    return {
      model: chunks[0]?.model ?? '',
      text: choices.map(({ delta }) => delta.content ?? '').join(''),
      reasoning: choices.map(({ delta }) => delta.reasoning_content ?? '').join(''),
      calls: called.map(({ name, text }) => callOf(name, text)),
      stop: choices.find(({ finish_reason }) => finish_reason !== null)?.finish_reason ?? '',
      ...tokensOf(usage),
    }
  },
}

function messageOf(turn: Turn): object {
  switch (turn.kind) {
    case 'call': {
      const { id, name, input } = turn
      const call = { id, type: 'function', function: { name, arguments: JSON.stringify(input) } }
      return { role: 'assistant', content: null, tool_calls: [call] }
    }
    case 'result':
      return { role: 'tool', tool_call_id: turn.id, content: turn.text }
    default:
      return { role: turn.kind, content: turn.text }
  }
}

const callOf = (name: string, text: string) => ({ name, input: JSON.parse(text) as unknown })

function tokensOf(usage: (typeof chatUsage)['_output']) {
  return {
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    cached: usage.prompt_cache_hit_tokens,
  }
}
