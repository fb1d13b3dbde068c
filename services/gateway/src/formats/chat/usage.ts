/** The usage object of the chat format: `prompt_tokens` includes what came from the cache. */
import { promptTokens } from '@svc/contracts/tokens'
import type { AnswerEnding } from '../inference-request.ts'

export function chatUsage({ billed, reasoningTokens }: AnswerEnding) {
  const prompt = promptTokens(billed)
  return {
    prompt_tokens: prompt,
    completion_tokens: billed.outputTokens,
    total_tokens: prompt + billed.outputTokens,
    prompt_cache_hit_tokens: billed.cachedInputTokens,
    prompt_cache_miss_tokens: billed.inputTokens,
    prompt_tokens_details: {
      cached_tokens: billed.cachedInputTokens,
      audio_tokens: 0,
      cache_write_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}
