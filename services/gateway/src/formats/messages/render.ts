/** A whole answer as a `message` object. */
import { idBody } from '@svc/contracts/ids'
import { formatExact } from '@svc/contracts/money'
import { promptTokens } from '@svc/contracts/tokens'
import { parsedWithDigits, textWithDigits } from '@svc/contracts/written-digits'
import type { AnswerEnding, AnswerHeading, AnswerPart } from '../inference-request.ts'
import type { ParsedMessages } from './parse.ts'

const NOT_REPORTED = {
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
  cache_creation: null,
  server_tool_use: null,
}

/** Tells what the message says of itself, at the start of a stream and in a whole answer. */
export function messageHeading({ requestId, model }: AnswerHeading) {
  return {
    id: `msg_${idBody(requestId)}`,
    type: 'message',
    role: 'assistant',
    model,
    stop_details: null,
    container: null,
    diagnostics: null,
  }
}

/** Names a call of an answer; the client sends it back with the result. */
function messagesCallId({ requestId }: AnswerHeading, index: number): string {
  return `toolu_${idBody(requestId)}_${index}`
}

/** Clients send it back with the thinking and may not be without one; it is never looked at. */
export function thinkingSignature({ requestId }: AnswerHeading): string {
  return idBody(requestId)
}

export function stopReason({ finishReason, stopText }: AnswerEnding) {
  if (finishReason === 'length') return 'max_tokens'
  if (finishReason === 'tool_calls') return 'tool_use'
  return stopText === null ? 'end_turn' : 'stop_sequence'
}

export function toolUseBlock(heading: AnswerHeading, index: number, name: string, input: object) {
  const id = messagesCallId(heading, index)
  return { type: 'tool_use', id, name, input, caller: { type: 'direct' } }
}

export function renderMessage(
  parsed: ParsedMessages,
  heading: AnswerHeading,
  parts: readonly AnswerPart[],
  ending: AnswerEnding,
): string {
  const { stop_details, container, diagnostics, ...identity } = messageHeading(heading)
  return textWithDigits({
    ...identity,
    content: contentOf(parsed, heading, parts),
    stop_reason: stopReason(ending),
    stop_sequence: ending.stopText,
    stop_details,
    container,
    diagnostics,
    usage: billedUsage(ending),
  })
}

function contentOf(
  parsed: ParsedMessages,
  heading: AnswerHeading,
  parts: readonly AnswerPart[],
): object[] {
  const blocks = blocksOf(parts)
  if (blocks.length === 0) return [textBlock('')]
  return blocks.map((block) => {
    if (block.kind === 'text') return textBlock(block.text)
    if (block.kind === 'tool_call') {
      return toolUseBlock(heading, block.index, block.name, argumentsOf(block.text))
    }
    const thinking = parsed.hidesThinking ? '' : block.text
    return { type: 'thinking', thinking, signature: thinkingSignature(heading) }
  })
}

function textBlock(text: string) {
  return { type: 'text', text, citations: null }
}

type AnswerBlock =
  | { readonly kind: 'text' | 'reasoning'; text: string }
  | { readonly kind: 'tool_call'; readonly index: number; readonly name: string; text: string }

/**
 * Makes blocks of parts: neighbours of one kind are one block, and arguments belong to their call.
 */
function blocksOf(parts: readonly AnswerPart[]): AnswerBlock[] {
  const blocks: AnswerBlock[] = []
  for (const part of parts) {
    const last = blocks.at(-1)
    if (part.kind === 'tool_call') blocks.push({ ...part, text: '' })
    else if (part.kind === 'arguments' && last !== undefined) last.text += part.text
    else if (last?.kind === part.kind) last.text += part.text
    else if (part.kind !== 'arguments' && part.text !== '') {
      blocks.push({ kind: part.kind, text: part.text })
    }
  }
  return blocks
}

/** Arguments that the token limit has cut are no object: the stop reason tells the client. */
function argumentsOf(text: string): object {
  try {
    const value = parsedWithDigits(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/**
 * Shows the usage at the start of a stream: no output yet, so that clients which add up do not
 * count twice, and no cost, which is not known before the debit.
 */
export function openingUsage(inputTokens: number) {
  return messagesUsage(inputTokens, 0, 0)
}

export function billedUsage({ billed, reasoningTokens, cost }: AnswerEnding) {
  const usage = messagesUsage(promptTokens(billed), billed.outputTokens, reasoningTokens)
  return { ...usage, cost: formatExact(cost) }
}

/**
 * Shows the usage. `input_tokens` is all billed input, from the cache or not: this service reports
 * no cached tokens here, so that the number is the same in all formats.
 */
function messagesUsage(inputTokens: number, outputTokens: number, thinkingTokens: number) {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...NOT_REPORTED,
    output_tokens_details: { thinking_tokens: thinkingTokens },
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  }
}
