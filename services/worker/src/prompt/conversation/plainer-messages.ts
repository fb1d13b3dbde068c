/**
 * A second try with templates that refuse a conversation: without a system turn (some models were
 * trained without one) and with turns that alternate.
 */
import type { TemplateMessage } from './template-messages.ts'

export function plainerMessages(messages: readonly TemplateMessage[]): TemplateMessage[] {
  const turns: TemplateMessage[] = []
  for (const message of messages) {
    const turn = message.role === 'system' ? { ...message, role: 'user' } : message
    const last = turns.at(-1)
    if (last !== undefined && joinable(last, turn)) {
      turns[turns.length - 1] = { ...last, content: `${last.content}\n\n${turn.content}` }
    } else {
      turns.push(turn)
    }
  }
  return turns
}

function joinable(last: TemplateMessage, next: TemplateMessage): boolean {
  if (last.role !== next.role || (last.role !== 'user' && last.role !== 'assistant')) return false
  return !('tool_calls' in last) && !('tool_calls' in next)
}
