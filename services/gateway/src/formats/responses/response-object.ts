/**
 * The response object. Every field is there every time: validators differ in which they insist on.
 */
import type { ServiceError } from '@svc/contracts/errors'
import { formatExact } from '@svc/contracts/money'
import { promptTokens } from '@svc/contracts/tokens'
import type { AnswerEnding, AnswerHeading } from '../inference-request.ts'
import { responseId } from './items/ids.ts'
import type { OutputItem } from './items/items.ts'

/** The fields of the request that the answer shows. They are known before the answer begins. */
export interface ShownRequest {
  readonly background: false
  readonly frequency_penalty: number
  readonly instructions: string | null
  readonly max_output_tokens: number | null
  readonly max_tool_calls: number | null
  readonly metadata: Readonly<Record<string, string>>
  readonly parallel_tool_calls: boolean
  readonly presence_penalty: number
  readonly previous_response_id: string | null
  readonly prompt_cache_key: string | null
  readonly reasoning: { readonly effort: string | null; readonly summary: string | null }
  readonly safety_identifier: string | null
  readonly service_tier: 'default'
  readonly store: boolean
  readonly temperature: number
  readonly text: object
  readonly tool_choice: unknown
  readonly tools: readonly object[]
  readonly top_logprobs: number
  readonly top_p: number
  readonly truncation: 'disabled'
  readonly user: string | null
}

export interface ResponseObject extends ShownRequest {
  readonly id: string
  readonly object: 'response'
  readonly created_at: number
  readonly completed_at: number | null
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  readonly error: { readonly code: string; readonly message: string } | null
  readonly incomplete_details: { readonly reason: 'max_output_tokens' } | null
  readonly model: string
  readonly output: readonly OutputItem[]
  readonly usage: ResponsesUsage | null
  readonly access_programs: null
}

export function openResponse(shown: ShownRequest, heading: AnswerHeading): ResponseObject {
  return {
    id: responseId(heading.requestId),
    object: 'response',
    created_at: heading.createdAt,
    completed_at: null,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model: heading.model,
    output: [],
    usage: null,
    access_programs: null,
    ...shown,
  }
}

/** @param completedAt seconds since 1970 */
export function endedResponse(
  open: ResponseObject,
  output: readonly OutputItem[],
  ending: AnswerEnding,
  completedAt: number,
): ResponseObject {
  const usage = responsesUsage(ending)
  if (ending.finishReason === 'length') {
    const incomplete_details = { reason: 'max_output_tokens' } as const
    return { ...open, status: 'incomplete', incomplete_details, output, usage }
  }
  return { ...open, status: 'completed', completed_at: completedAt, output, usage }
}

export function failedResponse(
  open: ResponseObject,
  output: readonly OutputItem[],
  error: ServiceError,
): ResponseObject {
  const shown = { code: streamErrorCode(error), message: error.message }
  return { ...open, status: 'failed', error: shown, output }
}

/** The codes that become the one code for our own troubles: clients know it, and try again. */
const ownTroubles: ReadonlySet<ServiceError['code']> = new Set([
  'internal_error',
  'worker_failed',
  'store_unavailable',
  'shutting_down',
])

/** The code of an error within a stream: clients decide by it whether they try again. */
export function streamErrorCode({ code }: ServiceError): string {
  return ownTroubles.has(code) ? 'server_error' : code
}

/** Shows the usage. `input_tokens` includes what came from the cache. */
export function responsesUsage({ billed, reasoningTokens, cost }: AnswerEnding) {
  const input = promptTokens(billed)
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: billed.cachedInputTokens, cache_write_tokens: 0 },
    output_tokens: billed.outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: input + billed.outputTokens,
    cost: formatExact(cost),
  }
}
export type ResponsesUsage = ReturnType<typeof responsesUsage>
