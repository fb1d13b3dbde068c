/** Messages, as the tests of the specification write and read them. */
import { messageAnswer, messagesStreamEvent } from '@svc/contracts/wire/messages'
import type { Turn } from './conversation.ts'
import { commonFields, DEFAULT_MAX_TOKENS, eventsOf, type WireFormat } from './wire-format.ts'

export const messagesFormat: WireFormat = {
  name: 'messages',
  family: 'anthropic',
  paths: ['/v1/messages'],
  countPath: '/v1/messages/count_tokens',
  stops: { end: 'end_turn', limit: 'max_tokens', call: 'tool_use' },
  streamFields: { stream: true },
  body: ({ system, turns, tools, schema, effort, maxTokens = DEFAULT_MAX_TOKENS }, fields) => ({
    ...commonFields,
    max_tokens: maxTokens,
    messages: turns.map(messageOf),
    system,
    ...(tools && {
      tools: tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
    }),
    ...(schema && { output_config: { format: { type: 'json_schema', schema } } }),
    ...(effort && { reasoning_effort: effort }),
    ...fields,
  }),
  readAnswer: (body) => {
    const { model, content, stop_reason, usage } = messageAnswer.parse(body)
    return {
      model,
      text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
      calls: content.flatMap((block) =>
        block.type === 'tool_use' ? [{ name: block.name, input: block.input as unknown }] : [],
      ),
      stop: stop_reason,
      input: usage.input_tokens,
      output: usage.output_tokens,
      cached: null,
    }
  },
  readStream: (stream) => {
    const events = eventsOf(stream).map((event) => messagesStreamEvent.parse(event))
    const start = events.find((event) => event.type === 'message_start')
    const end = events.find((event) => event.type === 'message_delta')
    const deltas = events.flatMap((event) =>
      event.type === 'content_block_delta' ? [{ index: event.index, ...event.delta }] : [],
    )
    const calls = events.flatMap((event) => {
      if (event.type !== 'content_block_start' || event.content_block.type !== 'tool_use') return []
      const { name } = event.content_block
      const pieces = deltas.filter(({ index }) => index === event.index)
      const text = pieces.map((delta) => ('partial_json' in delta ? delta.partial_json : ''))
      return [{ name, input: JSON.parse(text.join('')) as unknown }]
    })
    return {
      model: start?.message.model ?? '',
      text: deltas.map((delta) => ('text' in delta ? delta.text : '')).join(''),
      reasoning: deltas.map((delta) => ('thinking' in delta ? delta.thinking : '')).join(''),
      calls,
      stop: end?.delta.stop_reason ?? '',
      input: end?.usage.input_tokens ?? Number.NaN,
      output: end?.usage.output_tokens ?? Number.NaN,
      cached: null,
    }
  },
}

function messageOf(turn: Turn): object {
  switch (turn.kind) {
    case 'call': {
      const { id, name, input } = turn
      return { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] }
    }
    case 'result': {
      const { id, text } = turn
      return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: text }] }
    }
    default:
      return { role: turn.kind, content: turn.text }
  }
}
