/** The conversation of a chat request, reduced to text turns with one system message in front. */
import { ServiceError } from '@svc/contracts/errors'
import type { PromptMessage } from '@svc/contracts/worker-protocol'
import { z } from 'zod'

const MAX_MESSAGES = 1_024
const MAX_PARTS = 64
const MAX_MESSAGE_BYTES = 256 * 1024

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const

const part = z.object({
  type: z.string().max(64),
  text: z.string().optional(),
  refusal: z.string().optional(),
})
type Part = z.output<typeof part>

const message = z.object({
  role: z.enum(roles),
  content: z.union([z.string(), z.array(part).min(1).max(MAX_PARTS)]).nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(z.unknown()).nullish(),
  function_call: z.unknown().optional(),
})
export type ChatMessage = z.output<typeof message>

export const chatMessages = z.array(message).min(1).max(MAX_MESSAGES)

/**
 * System and developer messages may stand anywhere; templates expect one, in front. They are
 * joined, in their order, with an empty line between.
 *
 * @throws {ServiceError} naming the message or part that cannot be honoured
 */
export function promptMessages(messages: readonly ChatMessage[]): PromptMessage[] {
  const instructions: string[] = []
  const turns: PromptMessage[] = []
  messages.forEach((given, index) => {
    const path = `messages[${index}]`
    const role = supportedRole(given, path)
    const content = contentText(given, path)
    if (role === 'system') instructions.push(content)
    else turns.push({ role, content })
  })
  const system = instructions.filter((text) => text !== '').join('\n\n')
  if (system !== '') turns.unshift({ role: 'system', content: system })
  if (turns.length === 0) {
    throw new ServiceError('invalid_value', 'The messages hold no text.', { param: 'messages' })
  }
  return turns
}

function supportedRole(given: ChatMessage, path: string): 'system' | 'user' | 'assistant' {
  if (given.tool_calls?.length) throw noTools(`${path}.tool_calls`)
  if (given.function_call !== undefined && given.function_call !== null) {
    throw noTools(`${path}.function_call`)
  }
  if (given.role === 'tool' || given.role === 'function') throw noTools(`${path}.role`)
  return given.role === 'developer' ? 'system' : given.role
}

function contentText(given: ChatMessage, path: string): string {
  const { content } = given
  const text =
    typeof content === 'string' ? content : (partsText(content, path) ?? emptyContent(given, path))
  if (Buffer.byteLength(text) > MAX_MESSAGE_BYTES) {
    throw new ServiceError('invalid_value', `A message holds at most ${MAX_MESSAGE_BYTES} bytes.`, {
      param: `${path}.content`,
    })
  }
  return text
}

function partsText(parts: readonly Part[] | null | undefined, path: string): string | undefined {
  return parts?.map((each, index) => partText(each, `${path}.content[${index}]`)).join('')
}

function partText(each: Part, path: string): string {
  if (each.type === 'text' || each.type === 'refusal') {
    const text = each.type === 'text' ? each.text : each.refusal
    if (text !== undefined) return text
    throw new ServiceError('missing_required_parameter', `Missing ${path}.${each.type}.`, {
      param: `${path}.${each.type}`,
    })
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

function noTools(param: string): ServiceError {
  return new ServiceError('unsupported_value', 'This model does not support tools yet.', { param })
}
