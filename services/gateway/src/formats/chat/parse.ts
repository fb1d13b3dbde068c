/** A chat-completions body as an inference request. Nothing is coerced: `"16"` is not a number. */
import { ServiceError } from '@svc/contracts/errors'
import type { JsonObject } from '@svc/contracts/strict-json'
import { MODEL } from '@svc/contracts/wire/models'
import {
  type OutputFormat,
  STOP_CHARACTERS_MAX,
  TOP_LOGPROBS_MAX,
} from '@svc/contracts/worker/protocol'
import { z } from 'zod'
import { parseField } from '../fields.ts'
import { refuseForeignEnds, refuseForeignOutputFormat } from '../foreign-fields.ts'
import { givenSchema } from '../given-object.ts'
import type { FieldNames, InferenceRequest } from '../inference-request.ts'
import {
  metadata,
  refuseOtherModel,
  samplingOf,
  thinkingAt,
  thinkingLevels,
} from '../request-fields.ts'
import { chatMessages, conversationOf } from './messages.ts'
import { chatToolUse, toolFields } from './tools.ts'
import { refuseUnsupported } from './unsupported.ts'

/** The format's own bound. */
const STOP_TEXTS_MAX = 4
const BIASED_TOKENS_MAX = 1_024
const SEEDS = 2 ** 32
/** Clients draw integers of 64 bits, of which a double holds the first 53. */
const SEED_BOUND = 2 ** 63

const stopText = z.string().min(1).max(STOP_CHARACTERS_MAX)
const outputLimit = z.int().min(1).nullish()

const anySeed = z
  .number()
  .min(-SEED_BOUND)
  .max(SEED_BOUND)
  .refine(Number.isInteger, { error: 'must be a whole number' })
  .meta({ type: 'integer' })

/** The kind of text that the answer must be. */
const responseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({
      name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
      schema: givenSchema,
    }),
  }),
])
type ResponseFormat = z.output<typeof responseFormat>

export const chatRequest = z.object({
  model: z.string(),
  messages: chatMessages,
  max_completion_tokens: outputLimit,
  max_tokens: outputLimit,
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  top_k: z.int().min(0).nullish(),
  min_p: z.number().min(0).max(1).nullish(),
  repetition_penalty: z.number().min(0.1).max(10).nullish(),
  seed: anySeed.nullish(),
  stop: z.union([stopText, z.array(stopText).max(STOP_TEXTS_MAX)]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  reasoning_effort: z.enum(thinkingLevels).nullish(),
  ...toolFields,
  response_format: responseFormat.nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(TOP_LOGPROBS_MAX).nullish(),
  logit_bias: z.record(z.string().regex(/^\d{1,10}$/), z.number().min(-100).max(100)).nullish(),
  metadata: metadata.nullish(),
})
type ChatRequest = z.output<typeof chatRequest>

/** A chat request: what all formats have, and what only the shape of this one's answer needs. */
export interface ParsedChat {
  readonly request: InferenceRequest
  /** Whether a streamed answer ends with its usage. */
  readonly includeUsage: boolean
  /** Metadata that the answer echoes and nobody looks at. */
  readonly metadata: Readonly<Record<string, string>> | null
}

const fieldNames: FieldNames = {
  messages: 'messages',
  toolUse: 'tools',
  outputFormat: 'response_format.json_schema.schema',
  thinking: 'reasoning_effort',
  sampling: 'temperature',
  maxOutputTokens: 'max_tokens',
  logitBias: 'logit_bias',
  topLogprobs: 'logprobs',
  stop: 'stop',
}

/** @throws {ServiceError} a 400 whose `param` names the field at fault */
export function parseChatRequest(body: JsonObject): ParsedChat {
  refuseOtherModel(body)
  refuseUnsupported(body)
  refuseForeignOutputFormat(body, 'chat')
  refuseForeignEnds(body, 'chat')
  const request = parseField(chatRequest, body, [])
  if (request.stream_options && request.stream !== true) {
    throw new ServiceError('invalid_value', 'stream_options needs stream to be true.', {
      param: 'stream_options',
    })
  }
  return {
    request: {
      model: MODEL,
      messages: conversationOf(request.messages),
      thinking: thinkingAt(request.reasoning_effort),
      toolUse: chatToolUse(request),
      outputFormat: outputFormatOf(request.response_format),
      maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? null,
      sampling: samplingOf({
        temperature: request.temperature,
        topP: request.top_p,
        topK: request.top_k,
        minP: request.min_p,
        seed: seedOf(request.seed),
        frequencyPenalty: request.frequency_penalty,
        presencePenalty: request.presence_penalty,
        repetitionPenalty: request.repetition_penalty,
      }),
      logitBias: logitBiasOf(request.logit_bias),
      topLogprobs: topLogprobsOf(request),
      stop: typeof request.stop === 'string' ? [request.stop] : (request.stop ?? []),
      stream: request.stream ?? false,
      fieldNames: {
        ...fieldNames,
        maxOutputTokens: request.max_completion_tokens ? 'max_completion_tokens' : 'max_tokens',
      },
    },
    includeUsage: request.stream_options?.include_usage ?? false,
    metadata: request.metadata ?? null,
  }
}

function topLogprobsOf({ logprobs, top_logprobs: top }: ChatRequest): number | null {
  if (logprobs === true) return top ?? 0
  if (top !== undefined && top !== null && top > 0) {
    throw new ServiceError('invalid_value', 'top_logprobs needs logprobs to be true.', {
      param: 'top_logprobs',
    })
  }
  return null
}

function logitBiasOf(biases: ChatRequest['logit_bias']): [number, number][] {
  const pairs = Object.entries(biases ?? {})
  if (pairs.length > BIASED_TOKENS_MAX) {
    const message = `At most ${BIASED_TOKENS_MAX} tokens can have a bias.`
    throw new ServiceError('invalid_value', message, { param: 'logit_bias' })
  }
  return pairs.map(([token, bias]) => [Number(token), bias])
}

/** The format allows any integer, runtimes take 32 bits: equal seeds stay equal. */
function seedOf(seed: number | null | undefined): number | null {
  if (seed === undefined || seed === null) return null
  return ((seed % SEEDS) + SEEDS) % SEEDS
}

/** A schema is enforced whether it is called strict or not, so there must be one. */
function outputFormatOf(format: ResponseFormat | null | undefined): OutputFormat {
  if (format?.type === 'json_object') return { type: 'json' }
  if (format?.type !== 'json_schema') return { type: 'text' }
  return { type: 'json_schema', schema: format.json_schema.schema }
}
