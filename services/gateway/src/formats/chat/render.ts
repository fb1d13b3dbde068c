/** A whole answer as a `chat.completion` object. */
import { idBody } from '@svc/contracts/ids'
import { formatExact } from '@svc/contracts/money'
import { promptTokens } from '@svc/contracts/tokens'
import type { Logprob } from '@svc/contracts/worker/protocol'
import type { AnswerEnding, AnswerHeading, AnswerPart } from '../inference-request.ts'
import type { ParsedChat } from './parse.ts'

/** Tells what every object of one answer, whole or chunk, says of itself. */
export function chatHeading(heading: AnswerHeading, object: string) {
  return {
    id: `chatcmpl-${idBody(heading.requestId)}`,
    object,
    created: heading.createdAt,
    model: heading.model,
    service_tier: 'default',
    system_fingerprint: `fp_${heading.fingerprint.slice(0, 12)}`,
  }
}

/** Names a call of an answer; the client sends it back with the result. */
export function chatCallId({ requestId }: AnswerHeading, index: number): string {
  return `call_${idBody(requestId)}_${index}`
}

interface RenderedCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; arguments: string }
}

export function renderChatCompletion(
  chat: ParsedChat,
  heading: AnswerHeading,
  parts: readonly AnswerPart[],
  ending: AnswerEnding,
): string {
  const { text, reasoning, calls, logprobs } = collected(heading, parts)
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    annotations: [],
    // There is no official field: some clients read the one name, some the other.
    ...(reasoning === '' ? {} : { reasoning_content: reasoning, reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  const choice = {
    index: 0,
    message,
    logprobs: chatLogprobs(chat.request.topLogprobs === null ? undefined : logprobs),
    finish_reason: ending.finishReason,
  }
  return JSON.stringify({
    ...chatHeading(heading, 'chat.completion'),
    choices: [choice],
    usage: chatUsage(ending),
    ...(chat.metadata === null ? {} : { metadata: chat.metadata }),
  })
}

function collected(heading: AnswerHeading, parts: readonly AnswerPart[]) {
  let text = ''
  let reasoning = ''
  const calls: RenderedCall[] = []
  const logprobs: Logprob[] = []
  for (const part of parts) {
    if (part.kind === 'tool_call') {
      const called = { name: part.name, arguments: '' }
      calls.push({ id: chatCallId(heading, part.index), type: 'function', function: called })
    } else if (part.kind === 'arguments') {
      const call = calls.at(-1)
      if (call !== undefined) call.function.arguments += part.text
    } else if (part.kind === 'reasoning') {
      reasoning += part.text
    } else {
      text += part.text
      if (part.logprobs !== undefined) logprobs.push(...part.logprobs)
    }
  }
  return { text, reasoning, calls, logprobs }
}

/** Shows log probabilities as the format has them: null where none were asked for. */
export function chatLogprobs(logprobs: readonly Logprob[] | undefined) {
  if (logprobs === undefined) return null
  const content = logprobs.map(({ token, logprob, bytes, top }) => ({
    token,
    logprob,
    bytes,
    top_logprobs: top,
  }))
  return { content, refusal: null }
}

/** Shows the usage. `prompt_tokens` includes what came from the cache. */
export function chatUsage({ billed, reasoningTokens, cost }: AnswerEnding) {
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
    cost: formatExact(cost),
  }
}
