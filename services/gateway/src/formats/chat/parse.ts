/** A chat-completions body as an inference request. Nothing is coerced: `"16"` is not a number. */
import { ServiceError } from '@svc/contracts/errors'
import { MODEL, resolveModel } from '@svc/contracts/wire/models'
import { z } from 'zod'
import type { InferenceRequest, JsonObject } from '../../inference-request.ts'
import { chatMessages, promptMessages } from './messages.ts'
import { refuseUnsupported } from './unsupported.ts'

const MAX_STOP_TEXTS = 4
const MAX_STOP_CHARACTERS = 64
const MAX_METADATA_PAIRS = 16
const SEEDS = 2 ** 32

const stopText = z.string().min(1).max(MAX_STOP_CHARACTERS)
const outputLimit = z.int().min(1).nullish()

const chatRequest = z.object({
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
  seed: z.int().nullish(),
  stop: z.union([stopText, z.array(stopText).max(MAX_STOP_TEXTS)]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  metadata: z
    .record(z.string().max(64), z.string().max(512))
    .refine((pairs) => Object.keys(pairs).length <= MAX_METADATA_PAIRS, {
      error: `holds more than ${MAX_METADATA_PAIRS} pairs`,
    })
    .nullish(),
})
type ChatRequest = z.output<typeof chatRequest>

/** @throws {ServiceError} a 400 whose `param` names the field at fault */
export function parseChatRequest(body: JsonObject): InferenceRequest {
  refuseUnsupported(body)
  const parsed = chatRequest.safeParse(body)
  if (!parsed.success) throw fieldError(parsed.error.issues[0], body)
  const request = parsed.data
  if (resolveModel(request.model) === undefined) throw modelNotFound(request.model)
  if (request.stream_options && request.stream !== true) {
    throw new ServiceError('invalid_value', 'stream_options needs stream to be true.', {
      param: 'stream_options',
    })
  }
  return {
    model: MODEL,
    messages: promptMessages(request.messages),
    thinking: wantsThinking(request.reasoning_effort),
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? null,
    maxOutputTokensParam: request.max_completion_tokens ? 'max_completion_tokens' : 'max_tokens',
    sampling: samplingOf(request),
    stop: typeof request.stop === 'string' ? [request.stop] : (request.stop ?? []),
    stream: request.stream ?? false,
    includeUsage: request.stream_options?.include_usage ?? false,
    metadata: request.metadata ?? null,
  }
}

function wantsThinking(effort: ChatRequest['reasoning_effort']): boolean {
  return effort !== undefined && effort !== null && effort !== 'none' && effort !== 'minimal'
}

/** The defaults are those of the format: no default of a runtime leaks in. */
function samplingOf(request: ChatRequest): InferenceRequest['sampling'] {
  return {
    temperature: request.temperature ?? 1,
    topP: request.top_p ?? 1,
    topK: request.top_k ?? 0,
    minP: request.min_p ?? 0,
    seed: seedOf(request.seed),
    frequencyPenalty: request.frequency_penalty ?? 0,
    presencePenalty: request.presence_penalty ?? 0,
    repetitionPenalty: request.repetition_penalty ?? 1,
  }
}

/** The format allows any integer, runtimes take 32 bits: equal seeds stay equal. */
function seedOf(seed: number | null | undefined): number | null {
  if (seed === undefined || seed === null) return null
  return ((seed % SEEDS) + SEEDS) % SEEDS
}

type Issue = z.core.$ZodIssue

function fieldError(issue: Issue | undefined, body: JsonObject): ServiceError {
  if (issue === undefined) return new ServiceError('invalid_value', 'The body is not valid.')
  const nested = deepestUnionIssue(issue)
  const path = [...issue.path, ...(nested?.path ?? [])]
  const param = pathText(path)
  if (path.length > 0 && valueAt(body, path) === undefined) {
    const message = `Missing required parameter: '${param}'.`
    return new ServiceError('missing_required_parameter', message, { param })
  }
  const what = (nested ?? issue).message.replace(/^Invalid input: /, '')
  return new ServiceError('invalid_value', `Invalid value for '${param}': ${what}.`, { param })
}

/** Of a union's alternatives, the one that got furthest says what is really wrong. */
function deepestUnionIssue(issue: Issue): Issue | undefined {
  if (issue.code !== 'invalid_union') return undefined
  const alternatives = issue.errors.flatMap((issues) => issues.slice(0, 1))
  return alternatives.sort((a, b) => b.path.length - a.path.length).find((a) => a.path.length > 0)
}

/** `['messages', 0, 'content']` as `messages[0].content`. */
function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return text === '' ? String(step) : `${text}.${String(step)}`
  }, '')
}

function valueAt(body: JsonObject, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null
        ? (value as Record<PropertyKey, unknown>)[step]
        : undefined,
    body,
  )
}

const SHOWN_MODEL_CHARACTERS = 64

function modelNotFound(model: string): ServiceError {
  const name = JSON.stringify(model.slice(0, SHOWN_MODEL_CHARACTERS))
  const message = `The model ${name} does not exist. The callable model is "${MODEL}".`
  return new ServiceError('model_not_found', message, { param: 'model' })
}
