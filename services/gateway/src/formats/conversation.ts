/**
 * The conversation that all formats mean, so that the same words cost the same tokens in each.
 *
 * Instructions may stand anywhere; templates expect one system message, in front: they are joined,
 * in their order, with an empty line between. Neighbouring turns of one role are one turn, because
 * many templates insist on alternation. Every tool result belongs to a call that came before it.
 */
import { ServiceError } from '@svc/contracts/errors'
import {
  PROMPT_MESSAGES_MAX,
  type PromptMessage,
  TOOL_CALLS_MAX,
  type ToolCall,
} from '@svc/contracts/worker/protocol'

const BETWEEN = '\n\n'

interface TextTurn {
  readonly kind: 'system' | 'user'
  readonly text: string
}
interface AssistantTurn {
  readonly kind: 'assistant'
  readonly text: string
  readonly reasoning?: string
  readonly calls?: readonly ToolCall[]
}
interface ToolTurn {
  readonly kind: 'tool'
  readonly callId: string
  readonly text: string
  /** The field that names the call, for error messages: `messages[2].tool_call_id`. */
  readonly param: string
}
export type Turn = TextTurn | AssistantTurn | ToolTurn

type Message<Role extends PromptMessage['role']> = Extract<PromptMessage, { role: Role }>

/**
 * @param param the field of the conversation, for error messages
 * @throws {ServiceError} when nothing is said or too much, or a tool result belongs to no call
 */
export function promptMessages(turns: readonly Turn[], param: string): PromptMessage[] {
  const instructions: string[] = []
  const neighbours: [PromptMessage, ...PromptMessage[]][] = []
  const calls = new OpenCalls()
  for (const turn of turns) {
    if (turn.kind === 'system') {
      instructions.push(turn.text)
      continue
    }
    const message = messageOf(turn, calls)
    const last = neighbours.at(-1)
    if (last?.[0].role === message.role && message.role !== 'tool') last.push(message)
    else neighbours.push([message])
  }
  const messages = neighbours.map(joinedMessage)
  const system = joinedTexts(instructions)
  if (system !== '') messages.unshift({ role: 'system', content: system })
  if (messages.length === 0) {
    throw new ServiceError('invalid_value', 'The conversation holds no text.', { param })
  }
  checkSize(messages, param)
  return messages
}

/** Turns of a format can become several, and several can become one. */
function checkSize(messages: readonly PromptMessage[], param: string): void {
  if (messages.length > PROMPT_MESSAGES_MAX) {
    const message = `The conversation has more than ${PROMPT_MESSAGES_MAX} turns and results of tools.`
    throw new ServiceError('invalid_value', message, { param })
  }
  const callCounts = messages.map((each) => ('toolCalls' in each ? each.toolCalls?.length : 0) ?? 0)
  if (callCounts.some((count) => count > TOOL_CALLS_MAX)) {
    const message = `A turn of the assistant calls more than ${TOOL_CALLS_MAX} tools.`
    throw new ServiceError('invalid_value', message, { param })
  }
}

function messageOf(turn: Turn, calls: OpenCalls): PromptMessage {
  if (turn.kind === 'tool') return calls.result(turn)
  if (turn.kind !== 'assistant') return { role: 'user', content: turn.text }
  for (const call of turn.calls ?? []) calls.open(call)
  return assistantMessage(turn)
}

/** Neighbours of one role as one message. Together: one by one they would be copied each time. */
function joinedMessage(messages: readonly [PromptMessage, ...PromptMessage[]]): PromptMessage {
  const [first] = messages
  if (messages.length === 1) return first
  const text = joinedTexts(messages.map(({ content }) => content))
  if (first.role !== 'assistant') return { ...first, content: text }
  const answers = messages.filter((each) => each.role === 'assistant')
  return assistantMessage({
    kind: 'assistant',
    text,
    reasoning: joinedTexts(answers.map(({ reasoning = '' }) => reasoning)),
    calls: answers.flatMap(({ toolCalls = [] }) => toolCalls),
  })
}

/** The calls of the conversation, and which of them have a result. */
class OpenCalls {
  readonly #names = new Map<string, string>()
  readonly #answered = new Set<string>()

  open({ id, name }: ToolCall): void {
    this.#names.set(id, name)
    this.#answered.delete(id)
  }

  result({ callId, text, param }: ToolTurn): Message<'tool'> {
    const name = this.#names.get(callId)
    if (name === undefined) {
      throw new ServiceError('invalid_value', 'The result belongs to no call before it.', { param })
    }
    if (this.#answered.has(callId)) {
      throw new ServiceError('invalid_value', 'The call has a result already.', { param })
    }
    this.#answered.add(callId)
    return { role: 'tool', content: text, toolCallId: callId, name }
  }
}

function assistantMessage({ text, reasoning, calls }: AssistantTurn): Message<'assistant'> {
  return {
    role: 'assistant',
    content: text,
    ...(reasoning === undefined || reasoning === '' ? {} : { reasoning }),
    ...(calls === undefined || calls.length === 0 ? {} : { toolCalls: [...calls] }),
  }
}

/** Puts an empty line between texts, and leaves out those that say nothing. */
export function joinedTexts(texts: readonly (string | null | undefined)[]): string {
  return texts.filter((text) => text).join(BETWEEN)
}
