/** The messages of a chat request as the turns that all formats share. */
import { ServiceError } from '@svc/contracts/errors'
import { type PromptMessage, TOOL_CALLS_MAX } from '@svc/contracts/worker/protocol'
import { z } from 'zod'
import { promptMessages, type Turn } from '../conversation.ts'
import { PARTS_MAX, TEXT_BYTES_MAX, TURNS_MAX } from '../conversation-bounds.ts'
import { missingParameter } from '../fields.ts'

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const

/** A part of any type. Some clients name the fields of the other types too, as null. */
const part = z.object({
  type: z.string().max(64),
  text: z.string().nullish(),
  refusal: z.string().nullish(),
})
type Part = z.output<typeof part>

const toolCall = z.object({
  id: z.string().min(1).max(256),
  type: z.literal('function').nullish(),
  function: z.object({ name: z.string().min(1).max(256), arguments: z.string() }),
})

const message = z.object({
  role: z.enum(roles),
  content: z.union([z.string(), z.array(part).min(1).max(PARTS_MAX)]).nullish(),
  refusal: z.string().nullish(),
  /** There is no official field: some clients send one name back, some the other. */
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  tool_calls: z.array(toolCall).max(TOOL_CALLS_MAX).nullish(),
  tool_call_id: z.string().max(256).nullish(),
  function_call: z.unknown().optional(),
})
type ChatMessage = z.output<typeof message>

export const chatMessages = z.array(message).min(1).max(TURNS_MAX)

/** @throws {ServiceError} naming the message or part that cannot be honoured */
export function conversationOf(messages: readonly ChatMessage[]): PromptMessage[] {
  const turns = messages.map((given, index) => turnOf(given, `messages[${index}]`))
  return promptMessages(turns, 'messages')
}

function turnOf(given: ChatMessage, path: string): Turn {
  switch (given.role) {
    case 'system':
    case 'developer':
      return { kind: 'system', text: contentText(given, path) }
    case 'user':
      return { kind: 'user', text: contentText(given, path) }
    case 'assistant':
      return assistantTurn(given, path)
    case 'tool':
      return toolTurn(given, path)
    case 'function':
      throw deprecated(`${path}.role`)
  }
}

function assistantTurn(given: ChatMessage, path: string): Turn {
  if (given.function_call !== undefined && given.function_call !== null) {
    throw deprecated(`${path}.function_call`)
  }
  const calls = given.tool_calls ?? []
  return {
    kind: 'assistant',
    text: contentText(given, path),
    reasoning: bounded(given.reasoning_content ?? given.reasoning ?? '', `${path}.reasoning`),
    calls: calls.map(({ id, function: { name, arguments: text } }, index) => ({
      id,
      name,
      arguments: bounded(text, `${path}.tool_calls[${index}].function.arguments`),
    })),
  }
}

function toolTurn(given: ChatMessage, path: string): Turn {
  const param = `${path}.tool_call_id`
  if (!given.tool_call_id) throw missingParameter(param)
  return { kind: 'tool', callId: given.tool_call_id, text: contentText(given, path), param }
}

function contentText(given: ChatMessage, path: string): string {
  const { content } = given
  const text =
    typeof content === 'string' ? content : (partsText(content, path) ?? emptyContent(given, path))
  return bounded(text, `${path}.content`)
}

function bounded(text: string, param: string): string {
  if (Buffer.byteLength(text) <= TEXT_BYTES_MAX) return text
  const message = `A message holds at most ${TEXT_BYTES_MAX} bytes.`
  throw new ServiceError('invalid_value', message, { param })
}

function partsText(parts: readonly Part[] | null | undefined, path: string): string | undefined {
  return parts?.map((each, index) => partText(each, `${path}.content[${index}]`)).join('')
}

function partText(each: Part, path: string): string {
  if (each.type === 'text' || each.type === 'refusal') {
    const text = each.type === 'text' ? each.text : each.refusal
    if (typeof text === 'string') return text
    throw missingParameter(`${path}.${each.type}`)
  }
  throw new ServiceError(
    'unsupported_value',
    `This is a text-only model: it reads no content part of type ${JSON.stringify(each.type)}.`,
    { param: path },
  )
}

/** An assistant that said nothing may say so with null or by absence; the other roles may not. */
function emptyContent(given: ChatMessage, path: string): string {
  if (given.role === 'assistant') return given.refusal ?? ''
  throw new ServiceError('invalid_value', `${path}.content must be text or a list of parts.`, {
    param: `${path}.content`,
  })
}

function deprecated(param: string): ServiceError {
  const message = 'Function calls of the old kind are not supported: use tools and tool calls.'
  return new ServiceError('unsupported_value', message, { param })
}
