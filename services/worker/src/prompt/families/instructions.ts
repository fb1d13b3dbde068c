/** Puts words of a family's own, such as a list of tools, into the system message. */
import type { ToolDefinition } from '@svc/contracts/worker/protocol'
import { canonicalJson } from '../json-text.ts'
import type { Slots } from '../slots.ts'
import type { TemplateMessage } from '../template-messages.ts'
import { templateTools } from '../template-tools.ts'

/** @param messages with placeholders for texts; the first may be the system's */
export function withInstructions(
  messages: readonly TemplateMessage[],
  instructions: string,
): readonly TemplateMessage[] {
  const [first, ...rest] = messages
  if (first?.role !== 'system') return [{ role: 'system', content: instructions }, ...messages]
  const own = first.content ?? ''
  const content = own === '' ? instructions : `${own}\n\n${instructions}`
  return [{ role: 'system', content }, ...rest]
}

/** The tools as lines of JSON, with placeholders for what the client chose. */
export function toolLines(tools: readonly ToolDefinition[], slots: Slots): string {
  return templateTools(tools, slots)
    .map((tool) => canonicalJson(JSON.stringify(tool)))
    .join('\n')
}
