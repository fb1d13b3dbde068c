/** The answers of `POST /v1/responses` and of the routes beside it. */
import { z } from 'zod'
import { tokenCount } from '../tokens.ts'
import { debitedCost } from './dollars.ts'
import { openAiErrorFields } from './errors.ts'

/** `input_tokens` is all input, from the cache or not. */
const responsesUsage = z
  .strictObject({
    input_tokens: tokenCount,
    input_tokens_details: z.strictObject({
      cached_tokens: tokenCount,
      cache_write_tokens: z.literal(0),
    }),
    output_tokens: tokenCount,
    output_tokens_details: z.strictObject({ reasoning_tokens: tokenCount }),
    total_tokens: tokenCount,
    cost: debitedCost,
  })
  .meta({ id: 'ResponsesUsage', description: 'What was billed.' })

const itemStatus = z.enum(['in_progress', 'completed', 'incomplete'])
const tokenLogprob = {
  token: z.string(),
  logprob: z.number(),
  bytes: z.array(z.int()).nullable(),
}
const logprobs = z.array(
  z.strictObject({ ...tokenLogprob, top_logprobs: z.array(z.strictObject(tokenLogprob)) }),
)
const outputText = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.never()),
  logprobs,
})
const summaryText = z.strictObject({ type: z.literal('summary_text'), text: z.string() })
const reasoningText = z.strictObject({ type: z.literal('reasoning_text'), text: z.string() })
const call = {
  id: z.string(),
  call_id: z.string(),
  name: z.string(),
  namespace: z.string().optional(),
  status: itemStatus,
}

const messageItem = z.strictObject({
  id: z.string().regex(/^msg_/),
  type: z.literal('message'),
  role: z.literal('assistant'),
  status: itemStatus,
  content: z.array(outputText),
})
const reasoningItem = z.strictObject({
  id: z.string().regex(/^rs_/),
  type: z.literal('reasoning'),
  summary: z.array(summaryText),
  content: z.array(reasoningText).optional(),
  encrypted_content: z.string().optional(),
})
const functionCall = z.strictObject({
  ...call,
  type: z.literal('function_call'),
  arguments: z.string(),
})
const customCall = z.strictObject({
  ...call,
  type: z.literal('custom_tool_call'),
  input: z.string(),
})
const compaction = z.strictObject({
  id: z.string(),
  type: z.literal('compaction'),
  encrypted_content: z.string(),
})

const outputItem = z
  .discriminatedUnion('type', [messageItem, reasoningItem, functionCall, customCall])
  .meta({ id: 'OutputItem' })

const shape = {
  id: z.string().regex(/^resp_/),
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.strictObject({ reason: z.literal('max_output_tokens') }).nullable(),
  model: z.literal('svc-beta'),
  output: z.array(outputItem),
  usage: responsesUsage.nullable(),
  access_programs: z.null(),
  background: z.literal(false),
  frequency_penalty: z.number(),
  instructions: z.string().nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  metadata: z.record(z.string(), z.string()),
  parallel_tool_calls: z.boolean(),
  presence_penalty: z.number(),
  previous_response_id: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
  reasoning: z.strictObject({ effort: z.string().nullable(), summary: z.string().nullable() }),
  safety_identifier: z.string().nullable(),
  service_tier: z.literal('default'),
  store: z.boolean(),
  temperature: z.number(),
  text: z.record(z.string(), z.unknown()),
  tool_choice: z.unknown(),
  tools: z.array(z.record(z.string(), z.unknown())),
  top_logprobs: z.int(),
  top_p: z.number(),
  truncation: z.literal('disabled'),
  user: z.string().nullable(),
}
export const responseAnswer = z.strictObject(shape).meta({ id: 'Response' })

const lifecycle = (type: string) => event(type, { response: responseAnswer })
const inItem = { item_id: z.string(), output_index: z.int() }
const inContent = { ...inItem, content_index: z.int() }
const inSummary = { ...inItem, summary_index: z.int() }

function event<Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) {
  return z.strictObject({ type: z.literal(type), sequence_number: z.int(), ...fields })
}

const contentPart = z.discriminatedUnion('type', [outputText, reasoningText])

/** One event of a stream, named as its `type`; `[DONE]` follows the last of a good one. */
export const responsesStreamEvent = z
  .union([
    lifecycle('response.created'),
    lifecycle('response.in_progress'),
    lifecycle('response.completed'),
    lifecycle('response.incomplete'),
    lifecycle('response.failed'),
    event('response.output_item.added', {
      output_index: z.int(),
      item: outputItem,
    }),
    event('response.output_item.done', { output_index: z.int(), item: outputItem }),
    event('response.content_part.added', { ...inContent, part: contentPart }),
    event('response.content_part.done', { ...inContent, part: contentPart }),
    event('response.output_text.delta', { ...inContent, delta: z.string(), logprobs }),
    event('response.output_text.done', { ...inContent, text: z.string(), logprobs }),
    event('response.reasoning_summary_part.added', { ...inSummary, part: summaryText }),
    event('response.reasoning_summary_part.done', { ...inSummary, part: summaryText }),
    event('response.reasoning_summary_text.delta', { ...inSummary, delta: z.string() }),
    event('response.reasoning_summary_text.done', { ...inSummary, text: z.string() }),
    event('response.reasoning_text.delta', { ...inContent, delta: z.string() }),
    event('response.reasoning_text.done', { ...inContent, text: z.string() }),
    event('response.function_call_arguments.delta', { ...inItem, delta: z.string() }),
    event('response.function_call_arguments.done', {
      ...inItem,
      name: z.string(),
      arguments: z.string(),
    }),
    event('response.custom_tool_call_input.delta', { ...inItem, delta: z.string() }),
    event('response.custom_tool_call_input.done', { ...inItem, input: z.string() }),
    event('error', {
      code: z.string(),
      message: z.string(),
      param: z.string().nullable(),
      error: openAiErrorFields,
    }),
  ])
  .meta({ id: 'ResponsesStreamEvent' })

export const compactionAnswer = z
  .strictObject({
    id: z.string(),
    object: z.literal('response.compaction'),
    created_at: z.int(),
    /** The messages of the user as they were, and one item that carries the summary. */
    output: z.array(z.union([compaction, z.looseObject({ type: z.literal('message') })])),
    usage: responsesUsage,
  })
  .meta({ id: 'Compaction' })

export const deletedResponse = z.strictObject({
  id: z.string(),
  object: z.literal('response'),
  deleted: z.literal(true),
})

export const inputItemPage = z.strictObject({
  object: z.literal('list'),
  data: z.array(z.looseObject({ id: z.string(), type: z.string() })),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
})

export const inputTokensAnswer = z.strictObject({
  object: z.literal('response.input_tokens'),
  input_tokens: tokenCount,
})
