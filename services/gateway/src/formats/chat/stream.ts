/**
 * A streamed answer as `chat.completion.chunk` events. Text travels as JSON, so that a model that
 * says `data: [DONE]` ends nothing. What does not change from chunk to chunk is rendered once.
 */
import type { ServiceError } from '@svc/contracts/errors'
import type {
  AnswerEnding,
  AnswerHeading,
  AnswerPart,
  AnswerStream,
  InferenceRequest,
} from '../../inference-request.ts'
import { renderOpenAiError } from './errors.ts'
import { chatHeading } from './render.ts'
import { chatUsage } from './usage.ts'

const DONE = 'data: [DONE]\n\n'

/** A comment: it keeps proxies and clients waiting, and means nothing. */
export const CHAT_KEEP_ALIVE = ': keep-alive\n\n'

export class ChatStream implements AnswerStream {
  readonly #heading: string
  readonly #deltaStart: string
  readonly #deltaEnd: string
  readonly #includeUsage: boolean

  constructor(request: InferenceRequest, heading: AnswerHeading) {
    const common = JSON.stringify(chatHeading(heading, 'chat.completion.chunk'))
    this.#includeUsage = request.includeUsage
    this.#heading = `data: ${common.slice(0, -1)}`
    this.#deltaStart = `${this.#heading},"choices":[{"index":0,"delta":`
    this.#deltaEnd = `,"logprobs":null,"finish_reason":null}]${this.#noUsage()}}\n\n`
  }

  opening(): string {
    return `${this.#deltaStart}{"role":"assistant","content":"","refusal":null}${this.#deltaEnd}`
  }

  parts(parts: readonly AnswerPart[]): string {
    let events = ''
    for (const { kind, text } of parts) {
      if (text === '') continue
      const json = jsonText(text)
      const delta =
        kind === 'text'
          ? `{"content":${json}}`
          : `{"reasoning_content":${json},"reasoning":${json}}`
      events += this.#deltaStart + delta + this.#deltaEnd
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

  #noUsage(): string {
    return this.#includeUsage ? ',"usage":null' : ''
  }

  #usage(ending: AnswerEnding): string {
    if (!this.#includeUsage) return ''
    return `${this.#heading},"choices":[],"usage":${JSON.stringify(chatUsage(ending))}}\n\n`
  }
}

/**
 * Some readers of event streams split lines at U+2028 and U+2029, which JSON leaves as they are.
 */
function jsonText(text: string): string {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}
