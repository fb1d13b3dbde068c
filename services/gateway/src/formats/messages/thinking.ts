/** How much a Messages request lets the model think: three fields that grew one after another. */
import type { Thinking } from '@svc/contracts/worker/protocol'
import { z } from 'zod'
import { noThinking, thinkingAt, thinkingLevels } from '../request-fields.ts'

const level = z.enum(thinkingLevels)

/** The fields of the request's schema that are about thinking. */
export const thinkingFields = {
  reasoning_effort: level.nullish(),
  thinking: z
    .object({
      type: z.enum(['enabled', 'disabled', 'adaptive', 'between_tools']),
      budget_tokens: z.int().min(1).nullish(),
      display: z.string().nullish(),
    })
    .nullish(),
  output_config: z.object({ effort: level.nullish(), format: z.unknown().optional() }).nullish(),
}
const fields = z.object(thinkingFields)
type ThinkingFields = z.output<typeof fields>

/**
 * Reads how much the model may think. `reasoning_effort` wins over `thinking`, and `thinking` over
 * the effort of `output_config`.
 */
export function messagesThinking(request: ThinkingFields): Thinking {
  const { reasoning_effort: asked, thinking, output_config: config } = request
  if (asked !== null && asked !== undefined) return thinkingAt(asked)
  switch (thinking?.type) {
    case undefined:
      return thinkingAt(config?.effort)
    case 'disabled':
      return noThinking
    case 'enabled':
      return {
        ...thinkingAt(config?.effort ?? 'high'),
        enabled: true,
        budgetTokens: thinking.budget_tokens ?? null,
      }
    default:
      return thinkingAt(config?.effort ?? 'medium')
  }
}

/** Whether the caller wants the block of thinking without its text. */
export function hidesThinking({ thinking }: ThinkingFields): boolean {
  return thinking?.display === 'omitted'
}
