/** The usage object of the format: `input_tokens` includes what came from the cache. */
import { promptTokens } from '@svc/contracts/tokens'
import type { AnswerEnding } from '../inference-request.ts'

export function responsesUsage({ billed, reasoningTokens }: AnswerEnding) {
  const input = promptTokens(billed)
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: billed.cachedInputTokens, cache_write_tokens: 0 },
    output_tokens: billed.outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: input + billed.outputTokens,
  }
}
export type ResponsesUsage = ReturnType<typeof responsesUsage>
