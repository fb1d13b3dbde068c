/**
 * A streamed answer as `chat.completion.chunk` events. Text travels as JSON, so that a model that
 * says `data: [DONE]` ends nothing. What does not change from chunk to chunk is rendered once.
 */
import type { ServiceError } from '@svc/contracts/errors'
import type { Logprob } from '@svc/contracts/worker/protocol'
import { lineOfJson } from '../event-stream.ts'
import type { AnswerEnding, AnswerHeading, AnswerPart, AnswerStream } from '../inference-request.ts'
import { renderOpenAiError } from '../openai-error.ts'
import type { ParsedChat } from './parse.ts'
import { chatCallId, chatHeading, chatLogprobs, chatUsage } from './render.ts'

const DONE = 'data: [DONE]\n\n'

/** A comment: it keeps proxies and clients waiting, and means nothing. */
const KEEP_ALIVE = ': keep-alive\n\n'

export class ChatStream implements AnswerStream {
  readonly #answer: AnswerHeading
  readonly #heading: string
  readonly #deltaStart: string
  readonly #deltaEnd: string
  readonly #includeUsage: boolean

  constructor(chat: ParsedChat, heading: AnswerHeading) {
    const common = JSON.stringify(chatHeading(heading, 'chat.completion.chunk'))
    this.#answer = heading
    this.#includeUsage = chat.includeUsage
    this.#heading = `data: ${common.slice(0, -1)}`
    this.#deltaStart = `${this.#heading},"choices":[{"index":0,"delta":`
    this.#deltaEnd = `,"logprobs":null,"finish_reason":null}]${this.#noUsage()}}\n\n`
  }

  opening(): string {
    return `${this.#deltaStart}{"role":"assistant","content":"","refusal":null}${this.#deltaEnd}`
  }

  keepAlive(): string {
    return KEEP_ALIVE
  }

  parts(parts: readonly AnswerPart[]): string {
    let events = ''
    for (const part of parts) {
      if (part.kind === 'tool_call') events += this.#delta(this.#callDelta(part))
      else if (part.text === '' && !('logprobs' in part)) continue
      else if (part.kind === 'arguments') events += this.#delta(argumentsDelta(part))
      else if (part.kind === 'reasoning') events += this.#delta(reasoningDelta(part.text))
      else events += this.#delta(`{"content":${lineOfJson(part.text)}}`, part.logprobs)
    }
    return events
  }

  ending(ending: AnswerEnding): string {
    const finish = `{},"logprobs":null,"finish_reason":"${ending.finishReason}"}]`
    return `${this.#deltaStart}${finish}${this.#noUsage()}}\n\n${this.#usage(ending)}${DONE}`
  }

  failure(error: ServiceError): string {
    return `data: ${renderOpenAiError(error)}\n\n`
  }

  #delta(delta: string, logprobs?: readonly Logprob[]): string {
    if (logprobs === undefined) return this.#deltaStart + delta + this.#deltaEnd
    const shown = JSON.stringify(chatLogprobs(logprobs))
    const end = `,"logprobs":${shown},"finish_reason":null}]${this.#noUsage()}}\n\n`
    return this.#deltaStart + delta + end
  }

  #callDelta({ index, name }: Extract<AnswerPart, { kind: 'tool_call' }>): string {
    const called = { name, arguments: '' }
    const id = chatCallId(this.#answer, index)
    return JSON.stringify({ tool_calls: [{ index, id, type: 'function', function: called }] })
  }

  #noUsage(): string {
    return this.#includeUsage ? ',"usage":null' : ''
  }

  #usage(ending: AnswerEnding): string {
    if (!this.#includeUsage) return ''
    return `${this.#heading},"choices":[],"usage":${JSON.stringify(chatUsage(ending))}}\n\n`
  }
}

function argumentsDelta({ index, text }: Extract<AnswerPart, { kind: 'arguments' }>): string {
  return `{"tool_calls":[{"index":${index},"function":{"arguments":${lineOfJson(text)}}}]}`
}

/**
 * Writes a thought under both names. There is no official field: some clients read the one, some
 * the other.
 */
function reasoningDelta(text: string): string {
  const json = lineOfJson(text)
  return `{"reasoning_content":${json},"reasoning":${json}}`
}
