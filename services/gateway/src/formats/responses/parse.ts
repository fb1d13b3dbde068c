/** A body of the format as an inference request. Nothing is coerced: `"16"` is not a number. */
import type { FieldPath } from '@svc/contracts/field-path'
import type { TextSeal } from '@svc/contracts/ports/text-seal'
import type { JsonObject } from '@svc/contracts/strict-json'
import { MODEL } from '@svc/contracts/wire/models'
import { TOP_LOGPROBS_MAX } from '@svc/contracts/worker/protocol'
import { z } from 'zod'
import { promptMessages } from '../conversation.ts'
import { parseField } from '../fields.ts'
import { refuseForeignEnds, refuseForeignOutputFormat } from '../foreign-fields.ts'
import type { FieldNames, InferenceRequest, ParseContext } from '../inference-request.ts'
import {
  metadata,
  refuseOtherModel,
  samplingOf,
  thinkingAt,
  thinkingLevels,
} from '../request-fields.ts'
import { toolUseOf } from '../tools.ts'
import { turnsOf } from './items/conversation-turns.ts'
import { EncryptedContent } from './items/encrypted-content.ts'
import type { Item } from './items/items.ts'
import { type ReadItem, readItems } from './items/read-items.ts'
import type { ReasoningForms } from './output/open-reasoning.ts'
import type { ShownRequest } from './response-object.ts'
import type { ResponseStore } from './response-store.ts'
import { StoredConversation } from './stored-conversation.ts'
import { outputFormatOf, shownText, textField } from './text-format.ts'
import type { ToolCatalog } from './tools/tool-catalog.ts'
import { readToolChoice } from './tools/tool-choice.ts'
import { RequestTools } from './tools/tools.ts'
import { refuseUnsupported } from './unsupported.ts'

const LOGPROBS = 'message.output_text.logprobs'
const ENCRYPTED_REASONING = 'reasoning.encrypted_content'
const RAW_REASONING = 'reasoning.content'

const summaryKind = z.enum(['auto', 'concise', 'detailed']).nullish()
const label = z.string().max(1_024).nullish()
/** Clients put whole documents there, and it is echoed in each answer. */
const userLabel = z.string().max(16_384).nullish()

export const responsesFields = z.object({
  model: z.string(),
  instructions: z.string().nullish(),
  previous_response_id: z.string().max(256).nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  top_logprobs: z.int().min(0).max(TOP_LOGPROBS_MAX).nullish(),
  include: z.array(z.string().max(128)).max(64).nullish(),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: textField.nullish(),
  reasoning: z
    .object({
      effort: z.enum(thinkingLevels).nullish(),
      summary: summaryKind,
      generate_summary: summaryKind,
    })
    .nullish(),
  metadata: metadata.nullish(),
  safety_identifier: label,
  prompt_cache_key: label,
  user: userLabel,
})
type ResponsesRequest = z.output<typeof responsesFields>

/** A request of the format: what all formats have, and what only the shape of this answer needs. */
export interface ParsedResponses {
  readonly request: InferenceRequest
  /** The items that the request brought itself, without the responses before it. */
  readonly input: readonly Item[]
  /** All items that the prompt is made of, with the responses before it. */
  readonly conversation: readonly Item[]
  readonly catalog: ToolCatalog
  /** Types of tools that were left out, because they would run on the server. */
  readonly droppedTools: readonly string[]
  readonly reasoning: ReasoningForms
  readonly shown: ShownRequest
}

/** The parts of the service that the reading of a request needs. */
export interface ReadingPorts {
  readonly store: ResponseStore
  readonly textSeal: TextSeal
}
type ConversationPorts = ParseContext & {
  readonly store: ResponseStore
  readonly encrypted: EncryptedContent
}

const fieldNames: FieldNames = {
  messages: 'input',
  toolUse: 'tools',
  outputFormat: 'text.format.schema',
  thinking: 'reasoning.effort',
  sampling: 'temperature',
  maxOutputTokens: 'max_output_tokens',
  logitBias: 'logit_bias',
  topLogprobs: 'top_logprobs',
  stop: 'stop',
}

/** @throws {ServiceError} a 400 whose `param` names the field at fault */
export async function parseResponsesRequest(
  body: JsonObject,
  context: ParseContext,
  { store, textSeal }: ReadingPorts,
): Promise<ParsedResponses> {
  refuseOtherModel(body)
  refuseUnsupported(body)
  refuseForeignOutputFormat(body, 'responses')
  refuseForeignEnds(body, 'responses')
  const fields = parseField(responsesFields, body, [])
  const encrypted = new EncryptedContent(textSeal, context.accountId)
  const read = await conversationOf(body, fields, { ...context, store, encrypted })
  const tools = toolsOf(body, read.conversation)
  const choice = readToolChoice(body, tools.catalog)
  const parallel = fields.parallel_tool_calls ?? true
  const toolUse = toolUseOf(tools.catalog.given(), choice.given, parallel)
  const instructions = { kind: 'system', text: fields.instructions ?? '' } as const
  const turns = [instructions, ...turnsOf(read.conversation, encrypted)]
  const request = {
    model: MODEL,
    messages: promptMessages(turns, 'input'),
    thinking: thinkingAt(fields.reasoning?.effort),
    toolUse,
    outputFormat: outputFormatOf(fields.text),
    maxOutputTokens: fields.max_output_tokens ?? null,
    sampling: samplingOf({
      temperature: fields.temperature,
      topP: fields.top_p,
      frequencyPenalty: fields.frequency_penalty,
      presencePenalty: fields.presence_penalty,
    }),
    logitBias: [],
    topLogprobs: topLogprobsOf(fields),
    stop: [],
    stream: fields.stream ?? false,
    fieldNames,
  }
  return {
    request,
    input: read.input.map(({ item }) => item),
    conversation: read.conversation.map(({ item }) => item),
    catalog: tools.catalog,
    droppedTools: tools.dropped,
    reasoning: reasoningForms(fields, encrypted),
    shown: shownRequest(fields, request, tools.shown, choice.shown),
  }
}

async function conversationOf(
  body: JsonObject,
  { previous_response_id: previous }: ResponsesRequest,
  { requestId, accountId, store, encrypted }: ConversationPorts,
): Promise<{ input: readonly ReadItem[]; conversation: readonly ReadItem[] }> {
  const before = new StoredConversation(store, accountId)
  const input = await readItems(body, { requestId, encrypted, before })
  if (!previous) return { input, conversation: input }
  const items = await before.upTo(previous)
  const earlier = items.map((item) => ({ item, path: ['previous_response_id'] }))
  // Some clients also name the items of the responses that they go on from.
  const known = new Set(items.map(({ id }) => id))
  const own = input.filter(({ item }) => !known.has(item.id))
  return { input: own, conversation: [...earlier, ...own] }
}

/** Tools that an item adds take the place of those of the same name. */
function toolsOf(body: JsonObject, conversation: readonly ReadItem[]): RequestTools {
  const tools = new RequestTools()
  tools.read(body, ['tools'], false)
  for (const { item, path } of conversation) {
    if (item.type !== 'additional_tools') continue
    const at = [...path, 'tools']
    tools.read(bodyWith(at, item.tools), at, true)
  }
  return tools
}

/**
 * Makes a body for what the request only names: its own does not hold it, and errors say where it
 * is named.
 */
function bodyWith(path: FieldPath, value: unknown): JsonObject {
  return path.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as JsonObject
}

/** The thoughts themselves take the place of a summary, unless that was asked for as well. */
function reasoningForms(
  { include, reasoning }: ResponsesRequest,
  encrypted: EncryptedContent,
): ReasoningForms {
  const content = include?.includes(RAW_REASONING) ?? false
  const summary = Boolean(reasoning?.summary ?? reasoning?.generate_summary)
  const isEncrypted = include?.includes(ENCRYPTED_REASONING) ?? false
  return {
    summary: summary || !content,
    content,
    encrypt: isEncrypted ? (text) => encrypted.write('reasoning', text) : undefined,
  }
}

function topLogprobsOf({ include, top_logprobs: top }: ResponsesRequest): number | null {
  const asked = include?.includes(LOGPROBS) || (top ?? 0) > 0
  return asked ? (top ?? 0) : null
}

function shownRequest(
  fields: ResponsesRequest,
  { sampling }: Pick<InferenceRequest, 'sampling'>,
  tools: readonly object[],
  toolChoice: unknown,
): ShownRequest {
  const { reasoning } = fields
  return {
    background: false,
    frequency_penalty: sampling.frequencyPenalty,
    instructions: fields.instructions ?? null,
    max_output_tokens: fields.max_output_tokens ?? null,
    max_tool_calls: fields.max_tool_calls ?? null,
    metadata: fields.metadata ?? {},
    parallel_tool_calls: fields.parallel_tool_calls ?? true,
    presence_penalty: sampling.presencePenalty,
    // Clients that keep the id in a text begin with an empty one.
    previous_response_id: fields.previous_response_id || null,
    prompt_cache_key: fields.prompt_cache_key ?? null,
    reasoning: {
      effort: reasoning?.effort ?? null,
      summary: reasoning?.summary ?? reasoning?.generate_summary ?? null,
    },
    safety_identifier: fields.safety_identifier ?? null,
    service_tier: 'default',
    store: fields.store ?? true,
    temperature: sampling.temperature,
    text: shownText(fields.text),
    tool_choice: toolChoice,
    tools,
    top_logprobs: fields.top_logprobs ?? 0,
    top_p: sampling.topP,
    truncation: 'disabled',
    user: fields.user ?? null,
  }
}
