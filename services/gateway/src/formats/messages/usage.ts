/**
 * The usage object of the Messages format. `input_tokens` is all billed input, from the cache or
 * not: this service reports no cached tokens here, so that the number is the same in all formats.
 */
import { promptTokens } from '@svc/contracts/tokens'
import type { AnswerEnding } from '../inference-request.ts'

const NOT_REPORTED = {
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
  cache_creation: null,
  server_tool_use: null,
}

/** At the start of a stream: no output yet, so that clients which add up do not count twice. */
export function openingUsage(inputTokens: number) {
  return messagesUsage(inputTokens, 0, 0)
}

export function billedUsage({ billed, reasoningTokens }: AnswerEnding) {
  return messagesUsage(promptTokens(billed), billed.outputTokens, reasoningTokens)
}

function messagesUsage(inputTokens: number, outputTokens: number, thinkingTokens: number) {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...NOT_REPORTED,
    output_tokens_details: { thinking_tokens: thinkingTokens },
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  }
}
