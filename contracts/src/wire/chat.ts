/** The answers of `POST /v1/chat/completions`. */
import { z } from 'zod'
import { tokenCount } from '../tokens.ts'
import { debitedCost } from './dollars.ts'
import { openAiErrorAnswer } from './errors.ts'

const tokenLogprob = {
  token: z.string(),
  logprob: z.number(),
  bytes: z.array(z.int()).nullable(),
}
const logprobs = z
  .strictObject({
    content: z
      .array(
        z.strictObject({ ...tokenLogprob, top_logprobs: z.array(z.strictObject(tokenLogprob)) }),
      )
      .nullable(),
    refusal: z.null(),
  })
  .nullable()

const finishReason = z.enum(['stop', 'length', 'tool_calls'])

/** `prompt_tokens` is all input; the two `prompt_cache_` counts are its parts. */
export const chatUsage = z
  .strictObject({
    prompt_tokens: tokenCount,
    completion_tokens: tokenCount,
    total_tokens: tokenCount,
    prompt_cache_hit_tokens: tokenCount,
    prompt_cache_miss_tokens: tokenCount,
    prompt_tokens_details: z.strictObject({
      cached_tokens: tokenCount,
      audio_tokens: z.literal(0),
      cache_write_tokens: z.literal(0),
    }),
    completion_tokens_details: z.strictObject({
      reasoning_tokens: tokenCount,
      audio_tokens: z.literal(0),
      accepted_prediction_tokens: z.literal(0),
      rejected_prediction_tokens: z.literal(0),
    }),
    cost: debitedCost,
  })
  .meta({ id: 'ChatUsage', description: 'What was billed.' })

const heading = {
  id: z.string().regex(/^chatcmpl-/),
  /** Seconds since 1970. */
  created: z.int(),
  model: z.literal('svc-beta'),
  service_tier: z.literal('default'),
  system_fingerprint: z.string(),
}

export const chatCompletion = z
  .strictObject({
    ...heading,
    object: z.literal('chat.completion'),
    choices: z.array(
      z.strictObject({
        index: z.int(),
        message: z.strictObject({
          role: z.literal('assistant'),
          /** Is null when the answer is nothing but tool calls. */
          content: z.string().nullable(),
          refusal: z.null(),
          annotations: z.array(z.never()),
          reasoning_content: z.string().optional(),
          reasoning: z.string().optional(),
          tool_calls: z
            .array(
              z.strictObject({
                id: z.string().regex(/^call_/),
                type: z.literal('function'),
                function: z.strictObject({ name: z.string(), arguments: z.string() }),
              }),
            )
            .optional(),
        }),
        logprobs,
        finish_reason: finishReason,
      }),
    ),
    usage: chatUsage,
    metadata: z.record(z.string(), z.string()).optional(),
  })
  .meta({ id: 'ChatCompletion' })

const toolCallDelta = z.strictObject({
  index: z.int(),
  /** Comes with the first piece of a call only, as do `type` and the name. */
  id: z.string().optional(),
  type: z.literal('function').optional(),
  function: z.strictObject({ name: z.string().optional(), arguments: z.string() }),
})

export const chatCompletionChunk = z
  .strictObject({
    ...heading,
    object: z.literal('chat.completion.chunk'),
    choices: z.array(
      z.strictObject({
        index: z.int(),
        delta: z.strictObject({
          role: z.literal('assistant').optional(),
          content: z.string().optional(),
          refusal: z.null().optional(),
          reasoning_content: z.string().optional(),
          reasoning: z.string().optional(),
          tool_calls: z.array(toolCallDelta).optional(),
        }),
        logprobs,
        finish_reason: finishReason.nullable(),
      }),
    ),
    /** The usage is in the last chunk, where it was asked for; null in those before. */
    usage: chatUsage.nullable().optional(),
  })
  .meta({ id: 'ChatCompletionChunk' })

/** One event of a stream; `[DONE]` ends a good one. */
export const chatStreamEvent = z.union([chatCompletionChunk, openAiErrorAnswer])
