/**
 * A request and its answer as every wire format means them. A format's `parse` makes the request,
 * its `render` and `stream` show the answer; nothing between the two knows which format it serves.
 */
import type { ServiceError } from '@svc/contracts/errors'
import type { WireFormat } from '@svc/contracts/events/account'
import type { TokenCounts } from '@svc/contracts/tokens'
import type { PromptMessage, Sampling } from '@svc/contracts/worker-protocol'

/** A JSON object as it came off the wire, scanned and parsed, not yet looked into. */
export type JsonObject = { readonly [name: string]: unknown }

export interface InferenceRequest {
  /** The callable model: aliases are resolved. */
  readonly model: string
  /** At most one system message, at index 0. */
  readonly messages: readonly PromptMessage[]
  readonly thinking: boolean
  /** What the caller asked for, or null: then the service's default holds. */
  readonly maxOutputTokens: number | null
  /** The field by which the caller named the limit, for error messages. */
  readonly maxOutputTokensParam: string
  readonly sampling: Sampling
  readonly stop: readonly string[]
  readonly stream: boolean
  /** Whether a streamed answer ends with its usage. */
  readonly includeUsage: boolean
  /** Echoed, never looked at. */
  readonly metadata: Readonly<Record<string, string>> | null
}

/** What is known of an answer before its first token. */
export interface AnswerHeading {
  readonly requestId: string
  readonly model: string
  /** Seconds since 1970. */
  readonly createdAt: number
  /** Names the model file, library and template that made the answer. */
  readonly fingerprint: string
}

export interface AnswerPart {
  readonly kind: 'text' | 'reasoning'
  readonly text: string
}

/** How an answer came to its good end, and what was billed for it. */
export interface AnswerEnding {
  readonly finishReason: 'stop' | 'length'
  /** The stop text that ended the answer, or null. */
  readonly stopText: string | null
  /** From the receipt, not from the worker: the usage of an answer is what was billed. */
  readonly billed: TokenCounts
  readonly reasoningTokens: number
}

/** The events of one streamed answer, as text that is ready to be sent. */
export interface AnswerStream {
  opening(): string
  parts(parts: readonly AnswerPart[]): string
  /** Everything from the finish reason to the end of the stream. */
  ending(ending: AnswerEnding): string
  /** The last event of a stream that broke; nothing follows it. */
  failure(error: ServiceError): string
}

/** One wire format. A new format is a new folder that exports one of these. */
export interface InferenceFormat {
  readonly name: WireFormat
  /** @throws {ServiceError} a 400 that names the field at fault */
  parse(body: JsonObject): InferenceRequest
  /** The body of an answer that is not streamed. */
  render(
    request: InferenceRequest,
    heading: AnswerHeading,
    parts: readonly AnswerPart[],
    ending: AnswerEnding,
  ): string
  stream(request: InferenceRequest, heading: AnswerHeading): AnswerStream
  /** What keeps an idle stream alive without meaning anything. */
  readonly keepAlive: string
  /** The body of an error. */
  error(error: ServiceError): string
}
