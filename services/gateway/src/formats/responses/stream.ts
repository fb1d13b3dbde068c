/**
 * A streamed answer as `response.…` events, numbered from 0. The last of them holds the whole
 * response; `[DONE]` then says that it came to a good end, as in the chat format.
 */
import type { ServiceError } from '@svc/contracts/errors'
import { lineOfJson } from '../event-stream.ts'
import type { AnswerEnding, AnswerHeading, AnswerPart, AnswerStream } from '../inference-request.ts'
import { openAiError } from '../openai-error.ts'
import type { ResponsesEvent } from './output/open-item.ts'
import { Output } from './output/output.ts'
import type { ParsedResponses } from './parse.ts'
import {
  endedResponse,
  failedResponse,
  openResponse,
  type ResponseObject,
  streamErrorCode,
} from './response-object.ts'

const OPENING_EVENTS = 2
const DONE = 'data: [DONE]\n\n'

export interface ResponsesStreamOptions {
  readonly parsed: ParsedResponses
  readonly heading: AnswerHeading
  /** Seconds since 1970. */
  now(): number
  /** Is called with the response when it has come to a good end, before its last event is made. */
  onEnd(response: ResponseObject): void
}

export class ResponsesStream implements AnswerStream {
  readonly #options: ResponsesStreamOptions
  readonly #response: ResponseObject
  readonly #output: Output
  /** The number of the next event. The opening has the first numbers, whenever it is asked for. */
  #sequence = OPENING_EVENTS

  constructor(options: ResponsesStreamOptions) {
    const { parsed, heading } = options
    this.#options = options
    this.#response = openResponse(parsed.shown, heading)
    this.#output = new Output({ ...parsed, requestId: heading.requestId })
  }

  opening(): string {
    const response = this.#response
    const created = eventText({ type: 'response.created', response }, 0)
    return created + eventText({ type: 'response.in_progress', response }, 1)
  }

  /** Comments do not keep every client waiting; this event does, and it is true. */
  keepAlive(): string {
    return this.#texts([{ type: 'response.in_progress', response: this.#response }])
  }

  parts(parts: readonly AnswerPart[]): string {
    return parts.map((part) => this.#texts(this.#output.take(part))).join('')
  }

  ending(ending: AnswerEnding): string {
    const { now, onEnd } = this.#options
    const events = this.#output.end(ending.finishReason === 'length')
    const response = endedResponse(this.#response, this.#output.items(), ending, now())
    onEnd(response)
    return this.#texts([...events, { type: `response.${response.status}`, response }]) + DONE
  }

  /** Some clients read the flat fields of the error, some the nested ones. */
  failure(error: ServiceError): string {
    const code = streamErrorCode(error)
    const { message, param } = error
    const nested = { ...openAiError(error).error, code }
    const response = failedResponse(this.#response, this.#output.items(), error)
    const events = [
      { type: 'error', code, message, param, error: nested },
      { type: 'response.failed', response },
    ]
    return this.#texts(events)
  }

  #texts(events: readonly ResponsesEvent[]): string {
    return events.map((event) => eventText(event, this.#sequence++)).join('')
  }
}

/** The number is put into the text: to copy the fields of every event costs more than the rest. */
function eventText(event: ResponsesEvent, sequence: number): string {
  const fields = lineOfJson(event).slice(1)
  return `event: ${event.type}\ndata: {"sequence_number":${sequence},${fields}\n\n`
}
