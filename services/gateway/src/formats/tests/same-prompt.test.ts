/** The same conversation in each format is the same prompt, so that it costs the same in each. */
import { MemoryExpiringStore } from '@svc/infra/expiring-store/memory/memory-expiring-store'
import { AesTextSeal } from '@svc/infra/text-seal/aes-text-seal'
import { describe, expect, test } from 'vitest'
import { parseChatRequest } from '../chat/parse.ts'
import type { InferenceRequest } from '../inference-request.ts'
import { parseResponsesRequest } from '../responses/parse.ts'
import { ResponseStore } from '../responses/response-store.ts'

const model = 'svc-beta'
const context = { requestId: `req_${'0'.repeat(26)}`, accountId: 'acct_1' }
const store = new ResponseStore({
  bodyTurns: { run: async (_account, work) => work() },
  storedResponses: new MemoryExpiringStore(),
  clock: { nowMs: () => 0 },
})

const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const lookup = { name: 'lookup', description: 'Looks up.', parameters }
const call = { id: 'call_1', name: 'lookup', arguments: '{"city":"Paris"}' }
const schema = { type: 'object', properties: { a: { type: 'string' } } }
const text = (type: string, ...texts: string[]) => texts.map((each) => ({ type, text: each }))

const conversations: readonly [name: string, chat: object, responses: object][] = [
  ['a question', { messages: [{ role: 'user', content: 'hi' }] }, { input: 'hi' }],
  [
    'instructions, and more of them later',
    {
      messages: [
        { role: 'system', content: 'be kind' },
        { role: 'user', content: 'a' },
        { role: 'developer', content: 'be brief' },
        { role: 'user', content: text('text', 'b', 'c') },
      ],
    },
    {
      instructions: 'be kind',
      input: [
        { role: 'user', content: 'a' },
        { role: 'developer', content: 'be brief' },
        { role: 'user', content: text('input_text', 'b', 'c') },
      ],
    },
  ],
  [
    'a call of a tool, its result and thoughts',
    {
      tools: [{ type: 'function', function: lookup }],
      tool_choice: { type: 'function', function: { name: 'lookup' } },
      parallel_tool_calls: false,
      reasoning_effort: 'high',
      messages: [
        { role: 'user', content: 'weather?' },
        {
          role: 'assistant',
          content: 'I look.',
          reasoning_content: 'hm',
          tool_calls: [
            {
              id: call.id,
              type: 'function',
              function: { name: call.name, arguments: call.arguments },
            },
          ],
        },
        { role: 'tool', tool_call_id: call.id, content: 'rain' },
      ],
    },
    {
      tools: [{ type: 'function', ...lookup }],
      tool_choice: { type: 'function', name: 'lookup' },
      parallel_tool_calls: false,
      reasoning: { effort: 'high' },
      input: [
        { role: 'user', content: 'weather?' },
        { type: 'reasoning', summary: text('summary_text', 'hm') },
        { role: 'assistant', content: text('output_text', 'I look.') },
        {
          type: 'function_call',
          call_id: call.id,
          name: call.name,
          arguments: call.arguments,
        },
        { type: 'function_call_output', call_id: call.id, output: text('input_text', 'rain') },
      ],
    },
  ],
  [
    'a schema for the answer',
    {
      messages: [{ role: 'user', content: 'hi' }],
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    },
    { input: 'hi', text: { format: { type: 'json_schema', name: 'x', schema } } },
  ],
  [
    'an answer that ends early, with what was likely',
    {
      messages: [{ role: 'user', content: 'hi' }],
      max_completion_tokens: 7,
      temperature: 0.5,
      top_p: 0.9,
      presence_penalty: 1,
      logprobs: true,
      top_logprobs: 3,
    },
    {
      input: 'hi',
      max_output_tokens: 7,
      temperature: 0.5,
      top_p: 0.9,
      presence_penalty: 1,
      include: ['message.output_text.logprobs'],
      top_logprobs: 3,
    },
  ],
]

/** Takes all but the names of the caller's own fields. */
function asked(given: InferenceRequest) {
  const { fieldNames, ...request } = given
  return request
}

describe('the same in the chat and in the Responses format', () => {
  test.each(conversations)('%s', async (_name, chat, responses) => {
    const inChat = parseChatRequest({ model, ...chat }).request
    const body = { model, ...responses }
    const { request: inResponses } = await parseResponsesRequest(body, context, {
      store,
      textSeal: new AesTextSeal('the secret of the test'),
    })
    expect(asked(inResponses)).toEqual(asked(inChat))
  })
})
