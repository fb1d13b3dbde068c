/**
 * What a format takes, the worker takes: the worker's own bounds find nothing wrong with a request
 * that was understood.
 */

import type { JsonObject } from '@svc/contracts/strict-json'
import { answerOptions, type PrepareRequest, prepareRequest } from '@svc/contracts/worker/protocol'
import { MemoryExpiringStore } from '@svc/infra/expiring-store/memory/memory-expiring-store'
import { AesTextSeal } from '@svc/infra/text-seal/aes-text-seal'
import { wireFormats } from '@svc/testing/wire-formats'
import type { WireFormat } from '@svc/testing/wire-formats/wire-format'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bodyOf } from '../../../testing/format-requests.ts'
import { readJsonObject } from '../../http/request-body.ts'
import { answerOptionsOf, promptOf } from '../../request/prepare.ts'
import { chatFormat } from '../chat/format.ts'
import type { InferenceFormat } from '../inference-request.ts'
import { messagesFormat } from '../messages/format.ts'
import { responsesFormat } from '../responses/format.ts'

const ACCOUNT = 'acct_1'
const context = { requestId: `req_${'0'.repeat(26)}`, accountId: ACCOUNT }
const formats: Record<WireFormat['name'], InferenceFormat> = {
  chat: chatFormat,
  messages: messagesFormat,
  responses: responsesFormat({
    bodyTurns: { run: async (_account, work) => work() },
    storedResponses: new MemoryExpiringStore(),
    textSeal: new AesTextSeal('the secret of the test'),
    clock: { nowMs: () => 0 },
  }),
}

const edges = [-101, -1, 0, 0.1, 1, 2, 2.1, 10, 20, 21, 100, 2 ** 31, 2 ** 32 + 1, 2 ** 53 - 1]
const number = fc.oneof(fc.constantFrom(...edges), fc.double({ noNaN: true }), fc.integer())
const lengths = [0, 1, 64, 65, 120, 128, 129, 249, 256, 257]
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...lengths).map((length) => 'a'.repeat(length)),
  fc.constantFrom('\ud800', '\udfff', '\0', '\u2028', '😀'),
)
const word = fc.oneof(
  fc.constant('a'),
  fc.constantFrom(...lengths).map((length) => 'a'.repeat(length)),
)
const list = (item: fc.Arbitrary<unknown>) => fc.array(item, { maxLength: 20 })
const schema = { type: 'object', properties: {} }
const effort = fc.constantFrom('none', 'minimal', 'low', 'high', 'max', 'x')

/** Fields of all formats, good and bad: a format looks at those that it knows. */
const options = Object.entries({
  temperature: number,
  top_p: number,
  top_k: number,
  min_p: number,
  seed: number,
  presence_penalty: number,
  frequency_penalty: number,
  repetition_penalty: number,
  max_tokens: number,
  max_completion_tokens: number,
  max_output_tokens: number,
  stop: fc.oneof(text, list(text)),
  stop_sequences: list(text),
  logprobs: fc.boolean(),
  top_logprobs: number,
  reasoning_effort: effort,
  include: fc.constant(['message.output_text.logprobs']),
  logit_bias: fc.dictionary(fc.nat().map(String), number),
  thinking: fc.record({ type: fc.constantFrom('enabled', 'adaptive'), budget_tokens: number }),
  reasoning: fc.record({ effort }),
}).map(([name, value]) => fc.record({ [name]: value }))
/** There are few options at once: with many, one of them is always bad. */
const someOptions = fc
  .array(fc.oneof(...options), { maxLength: 3 })
  .map((fields) => Object.assign({}, ...fields) as object)

interface Said {
  readonly id: string
  readonly name: string
  readonly text: string
}
const said: fc.Arbitrary<Said> = fc.record({ id: word, name: word, text })

const toolOf: Record<WireFormat['name'], (name: string) => object> = {
  chat: (name) => ({ type: 'function', function: { name, parameters: schema } }),
  responses: (name) => ({ type: 'function', name, parameters: schema }),
  messages: (name) => ({ name, input_schema: schema }),
}

/** Makes `turns` of the assistant, each with `calls` calls, each of them with its result. */
function conversationOf(
  format: WireFormat['name'],
  { id, name, text: content }: Said,
  turns: number,
  calls: number,
): object {
  const turnsOf = <T>(turn: (ids: readonly string[]) => readonly T[]) =>
    Array.from({ length: turns }, (_, at) =>
      turn(Array.from({ length: calls }, (_call, call) => `${id}${at}-${call}`)),
    ).flat()
  switch (format) {
    case 'chat':
      return {
        messages: turnsOf((ids) => [
          {
            role: 'assistant',
            content,
            tool_calls: ids.map((each) => ({
              id: each,
              type: 'function',
              function: { name, arguments: content },
            })),
          },
        ]),
      }
    case 'responses':
      return {
        instructions: content,
        input: turnsOf((ids) => [
          ...ids.map((call_id) => ({ type: 'function_call', call_id, name, arguments: content })),
          ...ids.map((call_id) => ({ type: 'function_call_output', call_id, output: content })),
        ]),
      }
    case 'messages':
      return {
        system: content,
        messages: turnsOf((ids) => [
          { role: 'assistant', content: ids.map((each) => block('tool_use', { id: each })) },
          { role: 'user', content: ids.map((each) => block('tool_result', { tool_use_id: each })) },
        ]),
      }
  }

  function block(type: string, fields: object): object {
    return type === 'tool_use' ? { type, name, input: {}, ...fields } : { type, content, ...fields }
  }
}

describe.each(wireFormats)('$name', (format) => {
  test('any fields', async () => {
    const small = fc.integer({ min: 1, max: 3 })
    const conversation = fc
      .tuple(said, small, small)
      .map(([each, turns, calls]) => conversationOf(format.name, each, turns, calls))
    const body = fc
      .tuple(someOptions, fc.option(conversation), fc.option(fc.array(word, { maxLength: 3 })))
      .map(([fields, turns, tools]) => ({
        ...bodyOf(format),
        ...fields,
        ...turns,
        ...(tools && { tools: tools.map(toolOf[format.name]) }),
      }))
    let taken = 0
    await fc.assert(
      fc.asyncProperty(body, async (given) => {
        taken += await checkTaken(format, given)
      }),
      { numRuns: 500 },
    )
    expect(taken).toBeGreaterThan(50)
  })

  const sizes: [turns: number, calls: number][] = [
    ...([
      [1, 128],
      [4, 128],
      [5, 128],
      [1, 512],
      [1, 513],
      [2, 300],
    ] as [number, number][]),
    ...([
      [1_024, 1],
      [1_365, 1],
      [2_048, 1],
      [4_096, 1],
      [8, 512],
      [8, 513],
    ] as [number, number][]),
  ]
  test.each(sizes)('%i turns of %i calls', async (turns, calls) => {
    const said_ = { id: 'c', name: 'f', text: 'x' }
    await checkTaken(format, {
      ...bodyOf(format),
      ...conversationOf(format.name, said_, turns, calls),
    })
  })
})

/** @returns 1 when the format takes it, and the worker does; 0 when the format refuses it */
async function checkTaken(format: WireFormat, body: object): Promise<0 | 1> {
  const asked = await understood(formats[format.name], body)
  if (asked === undefined) return 0
  expect(prepareRequest.safeParse(asked).error?.issues).toBeUndefined()
  expect(answerOptions.safeParse(asked).error?.issues).toBeUndefined()
  expect(asked.stop?.every((each) => each.isWellFormed())).toBe(true)
  return 1
}

/** Tells what the worker is asked; undefined for a body that is refused. */
async function understood(
  format: InferenceFormat,
  body: object,
): Promise<PrepareRequest | undefined> {
  let fields: JsonObject
  try {
    fields = readJsonObject(Buffer.from(JSON.stringify(body)), { depth: 32 })
    const { request } = await format.parse(fields, context)
    return { ...promptOf(ACCOUNT, request), ...answerOptionsOf(request) }
  } catch (error) {
    expect(error).toMatchObject({ name: 'ServiceError', entry: { status: 400 } })
    return undefined
  }
}
