/**
 * Models whose template knows no tools, or shows them in a syntax that is not read here. The tools
 * are told in the system message, and calls and results are parts of ordinary turns, in the form
 * that most models have seen in training.
 */
import type { PromptMessage } from '@svc/contracts/worker/protocol'
import type { Slots } from '../conversation/slots.ts'
import { argumentsSlot, hasCalls, type TemplateMessage } from '../conversation/template-messages.ts'
import type { Family } from './family.ts'
import { hermes } from './hermes.ts'
import { toolLines, withInstructions } from './instructions.ts'

const INSTRUCTIONS_BEFORE = `# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
`
const INSTRUCTIONS_AFTER = [
  '',
  '</tools>',
  '',
  'For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:',
  '<tool_call>',
  '{"name": <function-name>, "arguments": <args-json-object>}',
  '</tool_call>',
].join('\n')

type TextMessage = TemplateMessage & { readonly content: string }

export function generic(chatTemplate: string): Family {
  return {
    ...hermes(chatTemplate),
    name: 'generic',
    toTemplate({ messages, tools }, slots) {
      const turns = joinUserTurns(messages.map((message, index) => turnOf(message, index, slots)))
      if (tools.length === 0) return { messages: turns, tools: null }
      const instructions = INSTRUCTIONS_BEFORE + toolLines(tools, slots) + INSTRUCTIONS_AFTER
      return { messages: withInstructions(turns, instructions), tools: null }
    },
  }
}

interface Turn {
  readonly message: TextMessage
  /** Whether a user's turn that follows is joined to it. */
  readonly isResult: boolean
}

function turnOf(message: PromptMessage, index: number, slots: Slots): Turn {
  const what = `message ${index} (role ${message.role})`
  const content = slots.text(message.content, what)
  if (message.role === 'tool') {
    const result = `<tool_response>\n${content}\n</tool_response>`
    return { message: { role: 'user', content: result }, isResult: true }
  }
  if (message.role !== 'assistant')
    return { message: { role: message.role, content }, isResult: false }
  const reasoning = slots.text(message.reasoning ?? '', null)
  const thought = reasoning === '' ? {} : { reasoning_content: reasoning }
  const calls = (hasCalls(message) ? (message.toolCalls ?? []) : []).map((call) => {
    const name = JSON.stringify(slots.text(call.name, what))
    const json = `{"name": ${name}, "arguments": ${argumentsSlot(call, slots, what)}}`
    return `<tool_call>\n${json}\n</tool_call>`
  })
  const texts = content === '' ? calls : [content, ...calls]
  return { message: { role: 'assistant', content: texts.join('\n'), ...thought }, isResult: false }
}

/** Results of tools, and what the user says right after them, are one turn of the user. */
function joinUserTurns(turns: readonly Turn[]): TextMessage[] {
  const joined: TextMessage[] = []
  turns.forEach(({ message }, index) => {
    const last = joined.at(-1)
    if (last === undefined || message.role !== 'user' || turns[index - 1]?.isResult !== true) {
      joined.push(message)
      return
    }
    joined[joined.length - 1] = { role: 'user', content: `${last.content}\n${message.content}` }
  })
  return joined
}
