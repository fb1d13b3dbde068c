/** Responses, as the tests of the specification write and read them. */
import { responseAnswer, responsesStreamEvent } from '@svc/contracts/wire/responses'
import type { Turn } from './conversation.ts'
import {
  commonFields,
  DEFAULT_MAX_TOKENS,
  eventsOf,
  type ReadAnswer,
  type WireFormat,
} from './wire-format.ts'

export const responsesFormat: WireFormat = {
  name: 'responses',
  family: 'openai',
  paths: ['/v1/responses', '/pro/v1/responses'],
  countPath: '/v1/responses/input_tokens',
  stops: { end: 'completed', limit: 'incomplete', call: 'completed' },
  streamFields: { stream: true },
  body: ({ system, turns, tools, schema, effort, maxTokens = DEFAULT_MAX_TOKENS }, fields) => ({
    ...commonFields,
    max_output_tokens: maxTokens,
    input: turns.map(itemOf),
    instructions: system,
    ...(tools && { tools: tools.map((tool) => ({ type: 'function', ...tool })) }),
    ...(schema && { text: { format: { type: 'json_schema', name: 'answer', schema } } }),
    ...(effort && { reasoning: { effort } }),
    ...fields,
  }),
  readAnswer: (body) => {
    const { model, output, status, usage } = responseAnswer.parse(body)
    const messages = output.flatMap((item) => (item.type === 'message' ? item.content : []))
    const thoughts = output.flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
    return {
      model,
      text: messages.map(({ text }) => text).join(''),
      reasoning: thoughts.map(({ text }) => text).join(''),
      calls: output.flatMap((item) =>
        item.type === 'function_call'
          ? [{ name: item.name, input: JSON.parse(item.arguments) as unknown }]
          : [],
      ),
      stop: status,
      input: usage?.input_tokens ?? Number.NaN,
      output: usage?.output_tokens ?? Number.NaN,
      cached: usage?.input_tokens_details.cached_tokens ?? Number.NaN,
    }
  },
  /** The deltas have to add up to what the last event says. */
  readStream: (stream): ReadAnswer => {
    const events = eventsOf(stream).map((event) => responsesStreamEvent.parse(event))
    const last = events.at(-1)
    if (last === undefined || !('response' in last)) throw new Error('no response at the end')
    const answer = responsesFormat.readAnswer(last.response)
    const text = events.map((event) =>
      'delta' in event && event.type === 'response.output_text.delta' ? event.delta : '',
    )
    const reasoning = events.map((event) =>
      'delta' in event && event.type === 'response.reasoning_summary_text.delta' ? event.delta : '',
    )
    return { ...answer, text: text.join(''), reasoning: reasoning.join('') }
  },
}

function itemOf(turn: Turn): object {
  switch (turn.kind) {
    case 'call': {
      const { id, name, input } = turn
      return { type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) }
    }
    case 'result':
      return { type: 'function_call_output', call_id: turn.id, output: turn.text }
    default:
      return { role: turn.kind, content: turn.text }
  }
}
