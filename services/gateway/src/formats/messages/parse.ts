/** A Messages body as an inference request. Nothing is coerced. */
import { ServiceError } from '@svc/contracts/errors'
import type { JsonObject } from '@svc/contracts/strict-json'
import { MODEL } from '@svc/contracts/wire/models'
import {
  type OutputFormat,
  STOP_CHARACTERS_MAX,
  STOP_TEXTS_MAX,
} from '@svc/contracts/worker/protocol'
import { z } from 'zod'
import { parseField } from '../fields.ts'
import { refuseForeignEnds, refuseForeignOutputFormat } from '../foreign-fields.ts'
import { givenSchema } from '../given-object.ts'
import type { FieldNames, InferenceRequest } from '../inference-request.ts'
import { refuseOtherModel, samplingOf } from '../request-fields.ts'
import { conversationOf, messageList, refusePrefill, systemPrompt } from './conversation.ts'
import { hidesThinking, messagesThinking, thinkingFields } from './thinking.ts'
import { messagesTools, toolFields } from './tools.ts'

const jsonSchemaFormat = z.object({
  type: z.literal('json_schema'),
  schema: givenSchema,
})

/** The fields that count as input: the request to count tokens has these and no others. */
export const countFields = z.object({
  model: z.string(),
  messages: messageList,
  system: systemPrompt.nullish(),
  ...toolFields,
  ...thinkingFields,
  output_format: z.unknown().optional(),
  mcp_servers: z.array(z.unknown()).nullish(),
  container: z.unknown().optional(),
})

export const messagesRequest = countFields.extend({
  max_tokens: z.int().min(1),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().min(0).nullish(),
  stop_sequences: z.array(z.string().min(1).max(STOP_CHARACTERS_MAX)).max(STOP_TEXTS_MAX).nullish(),
  stream: z.boolean().nullish(),
  thread: z.unknown().optional(),
})

/**
 * A Messages request: what all formats have, and what only the shape of this one's answer needs.
 */
export interface ParsedMessages {
  readonly request: InferenceRequest
  readonly hidesThinking: boolean
  /** The types of the tools that were left out. */
  readonly droppedTools: readonly string[]
}

const fieldNames: FieldNames = {
  messages: 'messages',
  toolUse: 'tools',
  outputFormat: 'output_config.format.schema',
  thinking: 'thinking',
  sampling: 'temperature',
  maxOutputTokens: 'max_tokens',
  logitBias: 'logit_bias',
  topLogprobs: 'top_logprobs',
  stop: 'stop_sequences',
}

/** @throws {ServiceError} a 400 that names the field at fault */
export function parseMessagesRequest(body: JsonObject): ParsedMessages {
  refuseOtherModel(body)
  refuseForeignOutputFormat(body, 'messages')
  refuseForeignEnds(body, 'messages')
  refuseWarming(body.max_tokens)
  const request = parseField(messagesRequest, body, [])
  refuseThread(request.thread)
  refusePrefill(request.messages)
  const prompt = promptOf(request)
  return {
    request: {
      ...prompt.request,
      maxOutputTokens: request.max_tokens,
      sampling: samplingOf({
        temperature: request.temperature,
        topP: request.top_p,
        topK: request.top_k,
      }),
      stop: request.stop_sequences ?? [],
      stream: request.stream ?? false,
    },
    hidesThinking: hidesThinking(request),
    droppedTools: prompt.droppedTools,
  }
}

/** The body of a request that only counts its input. @throws {ServiceError} as the real one */
export function parseCountRequest(body: JsonObject): InferenceRequest {
  refuseOtherModel(body)
  refuseForeignOutputFormat(body, 'messages')
  return promptOf(parseField(countFields, body, [])).request
}

/**
 * Refuses a limit of 0, by which the vendor fills its cache without an answer. Here a worker
 * computes the end of a prompt together with the first token behind it, and a meter without that
 * token would count what was not computed.
 */
function refuseWarming(maxTokens: unknown): void {
  if (maxTokens !== 0) return
  const message =
    'max_tokens: 0 is not supported. Every request fills the cache: send max_tokens 1 to fill it ' +
    'for the price of one output token.'
  throw new ServiceError('invalid_value', message, { param: 'max_tokens' })
}

/**
 * Refuses a thread. If it were ignored, it would be a conversation of which the model sees the last
 * turn only. Clients that are refused it by name send the whole conversation instead.
 */
function refuseThread(thread: unknown): void {
  if (thread === undefined || thread === null) return
  const message = 'thread: no conversation is held between requests; send all of its messages.'
  throw new ServiceError('unsupported_parameter', message, { param: 'thread' })
}

/**
 * Refuses skills. If they were ignored, the caller would pay for an answer by a model that does not
 * know them. A container without skills changes nothing, because no tool runs in it.
 */
function refuseSkills(container: unknown): void {
  if (typeof container !== 'object' || container === null || !('skills' in container)) return
  const { skills } = container
  if (skills === null || (Array.isArray(skills) && skills.length === 0)) return
  const message = 'container.skills: this service has no skills.'
  throw new ServiceError('unsupported_parameter', message, { param: 'container.skills' })
}

function promptOf(given: z.output<typeof countFields>) {
  if (given.mcp_servers?.length) {
    const message = 'mcp_servers: this service connects to no servers.'
    throw new ServiceError('unsupported_parameter', message, { param: 'mcp_servers' })
  }
  refuseSkills(given.container)
  const { toolUse, dropped } = messagesTools(given)
  const { outputFormat, outputFormatName } = outputOf(given)
  const request: InferenceRequest = {
    model: MODEL,
    messages: conversationOf(given.system, given.messages),
    thinking: messagesThinking(given),
    toolUse,
    outputFormat,
    maxOutputTokens: null,
    sampling: samplingOf({}),
    logitBias: [],
    topLogprobs: null,
    stop: [],
    stream: false,
    fieldNames: { ...fieldNames, outputFormat: outputFormatName },
  }
  return { request, droppedTools: dropped }
}

function outputOf(given: z.output<typeof countFields>): {
  outputFormat: OutputFormat
  outputFormatName: string
} {
  const newer = given.output_config?.format ?? undefined
  const path = newer === undefined ? 'output_format' : 'output_config.format'
  const format = newer ?? given.output_format ?? undefined
  if (format === undefined) return { outputFormat: { type: 'text' }, outputFormatName: path }
  const parsed = jsonSchemaFormat.safeParse(format)
  if (!parsed.success) {
    const message = `${path} must be {"type": "json_schema", "schema": {…}}.`
    throw new ServiceError('invalid_value', message, { param: path })
  }
  return { outputFormat: parsed.data, outputFormatName: `${path}.schema` }
}
