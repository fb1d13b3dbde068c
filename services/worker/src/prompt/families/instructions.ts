/** How tools are given to the template: as data, or in the family's own words. */
import type { ToolDefinition } from '@svc/contracts/worker/protocol'
import { canonicalJson } from '../conversation/json-text.ts'
import type { Slots } from '../conversation/slots.ts'
import {
  type MessageShape,
  type TemplateMessage,
  templateMessages,
  usualShape,
} from '../conversation/template-messages.ts'
import { templateTools } from '../conversation/template-tools.ts'
import type { Family } from './family.ts'

/** Hands tools to templates that show them themselves. */
export function nativeTemplate(shape: Partial<MessageShape>): Family['toTemplate'] {
  const whole = { ...usualShape, ...shape }
  return ({ messages, tools }, slots) => ({
    messages: templateMessages(messages, whole, slots),
    tools: tools.length === 0 ? null : templateTools(tools, slots),
  })
}

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
