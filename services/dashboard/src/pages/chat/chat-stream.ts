/** One answer, as it is made: the public chat completions, under the session instead of a key. */
import { CHAT_PATH, DASHBOARD_PREFIX } from '@svc/contracts/dashboard/declaration'
import type { chatStreamEvent } from '@svc/contracts/wire/chat'
import { MODEL } from '@svc/contracts/wire/models'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { z } from 'zod'
import { ApiError } from '../../api/api-error.ts'
import { send } from '../../api/call.ts'
import type { AnswerUse, ChatSettings, Message } from './conversation.ts'

type StreamEvent = z.output<typeof chatStreamEvent>

export type StreamPart =
  | { readonly kind: 'accepted'; readonly requestId: string | null }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'use'; readonly use: AnswerUse }
  | { readonly kind: 'end'; readonly isCut: boolean }

export interface ChatQuestion {
  readonly accountId: string
  /** The question is the last of them. */
  readonly messages: readonly Message[]
  readonly settings: ChatSettings
  readonly signal: AbortSignal
}

/** @throws {ApiError} when the request is refused, or the stream says that it failed or breaks */
export async function* streamAnswer(question: ChatQuestion): AsyncGenerator<StreamPart> {
  const { accountId, signal } = question
  const target = { method: 'POST', path: CHAT_PATH } as const
  const body = { account_id: accountId, ...bodyOf(question) }
  const response = await send(DASHBOARD_PREFIX, target, body, signal)
  const requestId = response.headers.get('x-request-id')
  yield { kind: 'accepted', requestId }
  let isWhole = false
  for await (const data of eventsOf(response)) {
    if (data === '[DONE]') isWhole = true
    else yield* partsOf(JSON.parse(data) as StreamEvent, requestId)
  }
  if (!isWhole) throw new ApiError({ status: 0, code: 'stream_cut', message: '', requestId })
}

function bodyOf({ messages, settings }: ChatQuestion) {
  const { system, maxTokens, temperature } = settings
  return {
    model: MODEL,
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: maxTokens,
    temperature,
    messages: [
      ...(system.trim() === '' ? [] : [{ role: 'system', content: system }]),
      ...messages.filter(isSent).map(({ role, text }) => ({ role, content: text })),
    ],
  }
}

/**
 * An answer without a word would be refused. A question that was refused stands in the field again:
 * sent with the next one, it would be paid for twice.
 */
function isSent({ text }: Message, index: number, all: readonly Message[]): boolean {
  return text.trim() !== '' && !isRefusal(all[index + 1])
}

function isRefusal(message: Message | undefined): boolean {
  if (message?.role !== 'assistant') return false
  return message.end === 'failed' && message.requestId === undefined && message.text === ''
}

async function* eventsOf({ body }: Response): AsyncGenerator<string> {
  if (body === null) return
  const events = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
  const reader = events.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value.data
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function* partsOf(event: StreamEvent, requestId: string | null): Generator<StreamPart> {
  if ('error' in event) {
    const { code, message } = event.error
    throw new ApiError({ status: 503, code: code ?? 'failed', message, requestId })
  }
  for (const { delta, finish_reason: reason } of event.choices) {
    if (delta.reasoning_content) yield { kind: 'thinking', text: delta.reasoning_content }
    if (delta.content) yield { kind: 'text', text: delta.content }
    if (reason !== null) yield { kind: 'end', isCut: reason === 'length' }
  }
  if (event.usage) yield { kind: 'use', use: usageOf(event.usage) }
}

type Usage = NonNullable<Extract<StreamEvent, { choices: unknown }>['usage']>

/** The public format counts the cached tokens among those of the prompt; here they are apart. */
function usageOf(usage: Usage): AnswerUse {
  const cachedTokens = usage.prompt_tokens_details.cached_tokens
  return {
    inputTokens: usage.prompt_tokens - cachedTokens,
    cachedTokens,
    outputTokens: usage.completion_tokens,
    cost: usage.cost,
  }
}
