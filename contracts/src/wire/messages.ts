/** The answers of `POST /v1/messages` and of the routes beside it. */
import { z } from 'zod'
import { tokenCount } from '../tokens.ts'
import { debitedCost } from './dollars.ts'
import { anthropicErrorAnswer } from './errors.ts'
import { modelPrices } from './prices.ts'

/** `input_tokens` is all billed input: this format reports no cached tokens. */
const tokensOfMessage = z.strictObject({
  input_tokens: tokenCount,
  output_tokens: tokenCount,
  cache_creation_input_tokens: z.null(),
  cache_read_input_tokens: z.null(),
  cache_creation: z.null(),
  server_tool_use: z.null(),
  output_tokens_details: z.strictObject({ thinking_tokens: tokenCount }),
  service_tier: z.literal('standard'),
  inference_geo: z.null(),
  speed: z.null(),
})
const messagesUsage = tokensOfMessage
  .extend({ cost: debitedCost })
  .meta({ id: 'MessagesUsage', description: 'What was billed.' })

const textBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  citations: z.null(),
})
const thinkingBlock = z.strictObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string(),
})
const toolUseBlock = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^toolu_/),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  caller: z.strictObject({ type: z.literal('direct') }),
})
const contentBlock = z.discriminatedUnion('type', [textBlock, thinkingBlock, toolUseBlock])

const stopReason = z.enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use'])

const message = {
  id: z.string().regex(/^msg_/),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.literal('svc-beta'),
  stop_sequence: z.string().nullable(),
  stop_details: z.null(),
  container: z.null(),
  diagnostics: z.null(),
}

export const messageAnswer = z
  .strictObject({
    ...message,
    content: z.array(contentBlock),
    stop_reason: stopReason,
    usage: messagesUsage,
  })
  .meta({ id: 'Message' })

const delta = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text_delta'), text: z.string() }),
  z.strictObject({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.strictObject({ type: z.literal('signature_delta'), signature: z.string() }),
  z.strictObject({ type: z.literal('input_json_delta'), partial_json: z.string() }),
])

/** One event of a stream, named as its `type`. */
export const messagesStreamEvent = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('message_start'),
      message: z.strictObject({
        ...message,
        content: z.array(z.never()),
        stop_reason: z.null(),
        /** The usage is not final, because the debit is not known yet. */
        usage: tokensOfMessage,
      }),
    }),
    z.strictObject({ type: z.literal('ping') }),
    z.strictObject({
      type: z.literal('content_block_start'),
      index: z.int(),
      content_block: contentBlock,
    }),
    z.strictObject({ type: z.literal('content_block_delta'), index: z.int(), delta }),
    z.strictObject({ type: z.literal('content_block_stop'), index: z.int() }),
    z.strictObject({
      type: z.literal('message_delta'),
      delta: z.strictObject({
        stop_reason: stopReason,
        stop_sequence: z.string().nullable(),
        stop_details: z.null(),
        container: z.null(),
      }),
      usage: messagesUsage,
    }),
    z.strictObject({ type: z.literal('message_stop') }),
    anthropicErrorAnswer,
  ])
  .meta({ id: 'MessagesStreamEvent' })

export const tokenCountAnswer = z.strictObject({ input_tokens: tokenCount })

export const messagesModel = z
  .strictObject({
    type: z.literal('model'),
    id: z.string(),
    display_name: z.string(),
    /** RFC 3339. */
    created_at: z.string(),
    /** Is null until a worker has reported its context. */
    max_input_tokens: tokenCount.nullable(),
    max_tokens: tokenCount.nullable(),
    capabilities: z.null(),
    lifecycle: z.literal('active'),
    line: z.null(),
    deprecated_at: z.null(),
    retires_at: z.null(),
    ...modelPrices,
  })
  .meta({ id: 'MessagesModel' })

export const messagesModelList = z.strictObject({
  data: z.array(messagesModel),
  has_more: z.boolean(),
  first_id: z.string(),
  last_id: z.string(),
})
