/** Conversations for templates that show tools themselves. */
import { type MessageShape, templateMessages, usualShape } from '../template-messages.ts'
import { templateTools } from '../template-tools.ts'
import type { Family } from './family.ts'

export function nativeTemplate(shape: Partial<MessageShape>): Family['toTemplate'] {
  const whole = { ...usualShape, ...shape }
  return ({ messages, tools }, slots) => ({
    messages: templateMessages(messages, whole, slots),
    tools: tools.length === 0 ? null : templateTools(tools, slots),
  })
}
