/** A whole answer as a `chat.completion` object. */
import { idBody } from '@svc/contracts/ids'
import type {
  AnswerEnding,
  AnswerHeading,
  AnswerPart,
  InferenceRequest,
} from '../../inference-request.ts'
import { chatUsage } from './usage.ts'

/** What every object of one answer, whole or chunk, says of itself. */
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

export function renderChatCompletion(
  request: InferenceRequest,
  heading: AnswerHeading,
  parts: readonly AnswerPart[],
  ending: AnswerEnding,
): string {
  const reasoning = textOf(parts, 'reasoning')
  const message = {
    role: 'assistant',
    content: textOf(parts, 'text'),
    refusal: null,
    annotations: [],
    // No official field exists: some clients read the one name, some the other.
    ...(reasoning === '' ? {} : { reasoning_content: reasoning, reasoning }),
  }
  return JSON.stringify({
    ...chatHeading(heading, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: ending.finishReason }],
    usage: chatUsage(ending),
    ...(request.metadata === null ? {} : { metadata: request.metadata }),
  })
}

function textOf(parts: readonly AnswerPart[], kind: AnswerPart['kind']): string {
  let text = ''
  for (const part of parts) if (part.kind === kind) text += part.text
  return text
}
