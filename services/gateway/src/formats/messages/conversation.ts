/** The system prompt and the messages of a request, as the turns that all formats share. */
import { ServiceError } from '@svc/contracts/errors'
import type { PromptMessage, ToolCall } from '@svc/contracts/worker/protocol'
import { textWithDigits } from '@svc/contracts/written-digits'
import { z } from 'zod'
import { joinedTexts, promptMessages, type Turn } from '../conversation.ts'
import { TEXT_BYTES_MAX, TURNS_MAX } from '../conversation-bounds.ts'
import {
  type ContentBlock,
  contentBlocks,
  nestedText,
  required,
  textOfBlock,
} from './text-blocks.ts'
import { isToolChange } from './tool-changes.ts'

/** A block whose value changes with every prompt and would keep all others from being cached. */
const BILLING_HEADER = 'x-anthropic-billing-header:'

export const systemPrompt = z.union([z.string(), contentBlocks])

const message = z.object({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), contentBlocks]),
})
type Message = z.output<typeof message>
export const messageList = z.array(message).min(1).max(TURNS_MAX)

/** @throws {ServiceError} naming the block that cannot be honoured */
export function conversationOf(
  system: z.output<typeof systemPrompt> | null | undefined,
  messages: readonly Message[],
): PromptMessage[] {
  const turns: Turn[] = [{ kind: 'system', text: systemText(system ?? '') }]
  messages.forEach((given, index) => {
    checkSize(given, `messages[${index}]`)
    turns.push(...turnsOf(given, `messages[${index}].content`))
  })
  return promptMessages(turns, 'messages')
}

/**
 * A model that begins a new answer behind the one that the caller began is paid for in vain. A last
 * turn that is empty begins nothing. The words are the vendor's, which clients may know.
 *
 * @throws {ServiceError} when the last turn is the assistant's
 */
export function refusePrefill(messages: readonly Message[]): void {
  const index = messages.findLastIndex(({ role }) => role !== 'system')
  const last = messages[index]
  if (last?.role !== 'assistant' || isEmpty(last)) return
  const param = `messages[${index}]`
  const message =
    `${param}: This model does not support assistant message prefill. ` +
    'The conversation must end with a user message.'
  throw new ServiceError('unsupported_value', message, { param })
}

function isEmpty({ content }: Message): boolean {
  if (typeof content === 'string') return content === ''
  return content.every(({ type, text }) => type === 'text' && text === '')
}

function systemText(system: z.output<typeof systemPrompt>): string {
  if (typeof system === 'string') return system
  const texts = system.map((block, index) => textOfBlock(block, `system[${index}]`))
  const [first = '', ...others] = texts
  return joinedTexts(first.startsWith(BILLING_HEADER) ? others : texts)
}

function turnsOf({ role, content }: Message, path: string): Turn[] {
  const blocks: readonly ContentBlock[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content
  if (role === 'assistant') return [assistantTurn(blocks, path)]
  if (role === 'user') return userTurns(blocks, path)
  const texts = blocks.map((block, index) =>
    isToolChange(block) ? '' : textOfBlock(block, `${path}[${index}]`),
  )
  return [{ kind: 'system', text: joinedTexts(texts) }]
}

function assistantTurn(blocks: readonly ContentBlock[], path: string): Turn {
  const texts: string[] = []
  const thoughts: string[] = []
  const calls: ToolCall[] = []
  blocks.forEach((block, index) => {
    const blockPath = `${path}[${index}]`
    if (block.type === 'tool_use') calls.push(callOf(block, blockPath))
    else if (block.type === 'thinking') thoughts.push(block.thinking ?? '')
    else if (block.type !== 'redacted_thinking') texts.push(textOfBlock(block, blockPath))
  })
  const reasoning = joinedTexts(thoughts)
  return { kind: 'assistant', text: joinedTexts(texts), reasoning, calls }
}

function callOf({ id, name, input }: ContentBlock, path: string): ToolCall {
  return {
    id: required(id, `${path}.id`),
    name: required(name, `${path}.name`),
    arguments: textWithDigits(required(input, `${path}.input`)),
  }
}

/** Results stand before the text of their turn, where templates expect them: behind the calls. */
function userTurns(blocks: readonly ContentBlock[], path: string): Turn[] {
  const results: Turn[] = []
  const texts: string[] = []
  blocks.forEach((block, index) => {
    const blockPath = `${path}[${index}]`
    if (block.type === 'tool_result') results.push(resultTurn(block, blockPath))
    else texts.push(textOfBlock(block, blockPath))
  })
  const text = joinedTexts(texts)
  if (text === '' && results.length > 0) return results
  return [...results, { kind: 'user', text }]
}

function resultTurn(block: ContentBlock, path: string): Turn {
  const param = `${path}.tool_use_id`
  const text = nestedText(block.content, `${path}.tool_result.content`)
  return {
    kind: 'tool',
    callId: required(block.tool_use_id, param),
    text: block.is_error ? `Error: ${text}` : text,
    param,
  }
}

function checkSize(given: Message, path: string): void {
  const { content } = given
  const bytes =
    typeof content === 'string'
      ? Buffer.byteLength(content)
      : content.reduce((sum, { text }) => sum + Buffer.byteLength(text ?? ''), 0)
  if (bytes <= TEXT_BYTES_MAX) return
  const param = `${path}.content`
  const message = `${param}: a message holds at most ${TEXT_BYTES_MAX} bytes.`
  throw new ServiceError('invalid_value', message, { param })
}
