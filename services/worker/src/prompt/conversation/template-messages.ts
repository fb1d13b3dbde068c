/**
 * The conversation as chat templates take it: OpenAI's messages, with placeholders for texts. What
 * templates disagree about is a {@link MessageShape}, which the model's family knows.
 */
import type { PromptMessage, ToolCall } from '@svc/contracts/worker/protocol'
import { canonicalJson, isJsonObject } from './json-text.ts'
import type { Slots } from './slots.ts'

export interface TemplateMessage {
  readonly role: string
  readonly content: string | null
  readonly [field: string]: unknown
}

type AssistantMessage = Extract<PromptMessage, { role: 'assistant' }>

export interface MessageShape {
  /** Whether what the assistant said before its calls becomes a message of its own. */
  readonly textBeforeCalls: 'same message' | 'own message'
  /** Whether several calls of one turn become turns of their own, each with its result. */
  readonly callsPerTurn: 'one' | 'many'
  /** What stands for the text of a turn that only called tools. */
  readonly emptyText: '' | null
  /** The field for what the model thought. */
  readonly reasoningField: string
}

export const usualShape: MessageShape = {
  textBeforeCalls: 'same message',
  callsPerTurn: 'many',
  emptyText: '',
  reasoningField: 'reasoning_content',
}

/** Mistral's templates take call ids of nine letters and digits only; no template minds them. */
const CALL_ID_DIGITS = 5

export function templateMessages(
  messages: readonly PromptMessage[],
  shape: MessageShape,
  slots: Slots,
): TemplateMessage[] {
  const callIds = new Map<string, string>()
  let calls = 0
  const nextId = (call: ToolCall) => {
    const id = `call${String(calls++ % 10 ** CALL_ID_DIGITS).padStart(CALL_ID_DIGITS, '0')}`
    callIds.set(call.id, id)
    return id
  }
  return turnsOf(messages, shape).map((message, index) => {
    if (message.role === 'assistant') {
      return assistantMessage(message, index, shape, slots, nextId)
    }
    const content = slots.text(message.content, `message ${index} (role ${message.role})`)
    if (message.role === 'tool') {
      const id = callIds.get(message.toolCallId) ?? 'call00000'
      return { role: 'tool', content, tool_call_id: id, name: slots.text(message.name, null) }
    }
    return { role: message.role, content }
  })
}

/** Changes which turns there are, before anything is replaced by placeholders. */
function turnsOf(messages: readonly PromptMessage[], shape: MessageShape): PromptMessage[] {
  let turns = [...messages]
  if (shape.textBeforeCalls === 'own message') turns = turns.flatMap(textApart)
  if (shape.callsPerTurn === 'one') turns = oneCallPerTurn(turns)
  return turns
}

function textApart(message: PromptMessage): PromptMessage[] {
  if (message.role !== 'assistant' || message.content === '' || !hasCalls(message)) return [message]
  return [
    { role: 'assistant', content: message.content },
    { ...message, content: '' },
  ]
}

/** Puts every call in a turn of its own, right before its result. */
function oneCallPerTurn(messages: readonly PromptMessage[]): PromptMessage[] {
  const turns: PromptMessage[] = []
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at]
    if (message === undefined) break
    if (message.role !== 'assistant' || !hasCalls(message)) {
      turns.push(message)
      continue
    }
    const results: PromptMessage[] = []
    while (messages[at + 1]?.role === 'tool') {
      at += 1
      const result = messages[at]
      if (result !== undefined) results.push(result)
    }
    turns.push(...callsWithResults(message, results))
  }
  return turns
}

function callsWithResults(
  message: AssistantMessage,
  results: readonly PromptMessage[],
): PromptMessage[] {
  const left = [...results]
  const turns = (message.toolCalls ?? []).flatMap((call, index): PromptMessage[] => {
    const at = left.findIndex((each) => each.role === 'tool' && each.toolCallId === call.id)
    const own = at === -1 ? [] : left.splice(at, 1)
    const turn: PromptMessage =
      index === 0
        ? { ...message, toolCalls: [call] }
        : { role: 'assistant', content: '', toolCalls: [call] }
    return [turn, ...own]
  })
  return [...turns, ...left]
}

function assistantMessage(
  message: AssistantMessage,
  index: number,
  shape: MessageShape,
  slots: Slots,
  nextId: (call: ToolCall) => string,
): TemplateMessage {
  const reasoning = slots.text(message.reasoning ?? '', null)
  const thought = reasoning === '' ? {} : { [shape.reasoningField]: reasoning }
  if (!hasCalls(message)) {
    const content = slots.text(message.content, `message ${index} (role assistant)`)
    return { role: 'assistant', content, ...thought }
  }
  const toolCalls = message.toolCalls?.map((call) => ({
    id: nextId(call),
    type: 'function',
    function: {
      name: slots.text(call.name, `a tool call of message ${index}`),
      arguments: argumentsSlot(call, slots, `the arguments of a tool call of message ${index}`),
    },
  }))
  // Some templates have no place for words beside a call. They are the model's own and may go.
  const content = slots.text(message.content, null)
  const shown = content === '' ? shape.emptyText : content
  return { role: 'assistant', content: shown, ...thought, tool_calls: toolCalls }
}

/** @returns a placeholder for the arguments, as JSON when they are JSON */
export function argumentsSlot(call: ToolCall, slots: Slots, required: string): string {
  const text = call.arguments.trim() === '' ? '{}' : call.arguments
  return slots.json(isJsonObject(text) ? canonicalJson(text) : text, required)
}

export function hasCalls(message: AssistantMessage): boolean {
  return (message.toolCalls?.length ?? 0) > 0
}
