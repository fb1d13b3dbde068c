/**
 * A request and its answer as every wire format means them. A format's `parse` makes the request,
 * and with it the `render` and `stream` that show the answer as this caller asked for it; nothing
 * between the two knows which format it serves.
 */
import type { ServiceError } from '@svc/contracts/errors'
import type { FinishReason, WireFormat } from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import type { JsonObject } from '@svc/contracts/strict-json'
import type { TokenCounts } from '@svc/contracts/tokens'
import type {
  Logprob,
  OutputFormat,
  PromptMessage,
  Sampling,
  Thinking,
  ToolUse,
} from '@svc/contracts/worker/protocol'

export interface InferenceRequest {
  /** The callable model: aliases are resolved. */
  readonly model: string
  /** The messages: at most one system message, at index 0. */
  readonly messages: readonly PromptMessage[]
  readonly thinking: Thinking
  readonly toolUse: ToolUse | null
  readonly outputFormat: OutputFormat
  /** How many tokens the caller asked for, or null for the service's default. */
  readonly maxOutputTokens: number | null
  readonly sampling: Sampling
  /** Pairs of token id and bias. */
  readonly logitBias: readonly (readonly [number, number])[]
  /** How many alternatives to every token are asked for; null: no log probabilities at all. */
  readonly topLogprobs: number | null
  readonly stop: readonly string[]
  readonly stream: boolean
  /** The names of fields for error messages. */
  readonly fieldNames: FieldNames
}

/** The caller's names of the fields that an inference request is made of. */
export interface FieldNames {
  readonly messages: string
  readonly toolUse: string
  readonly outputFormat: string
  readonly thinking: string
  readonly sampling: string
  readonly maxOutputTokens: string
  readonly logitBias: string
  readonly topLogprobs: string
  readonly stop: string
}

/** Tells what is known of an answer before its first token. */
export interface AnswerHeading {
  readonly requestId: string
  readonly model: string
  /** Seconds since 1970. */
  readonly createdAt: number
  /** All input tokens, from the cache or not. */
  readonly promptTokens: number
  /** Names the model file, library and template that made the answer. */
  readonly fingerprint: string
}

export type AnswerPart =
  | {
      readonly kind: 'text' | 'reasoning'
      readonly text: string
      /** The log probabilities of the tokens in the text, where they were asked for. */
      readonly logprobs?: readonly Logprob[]
    }
  /** The answer begins to call a tool. `index` counts the calls of the answer from 0. */
  | { readonly kind: 'tool_call'; readonly index: number; readonly name: string }
  /** Goes on the JSON text of the arguments of the last call. */
  | { readonly kind: 'arguments'; readonly index: number; readonly text: string }

/** The finish reasons of an answer that a caller gets whole. */
export type GoodFinish = Exclude<FinishReason, 'cancelled' | 'error'>

export function isGoodFinish(finishReason: FinishReason): finishReason is GoodFinish {
  return finishReason !== 'cancelled' && finishReason !== 'error'
}

/** Tells how an answer came to its good end, and what was billed for it. */
export interface AnswerEnding {
  readonly finishReason: GoodFinish
  /** The stop text that ended the answer, or null. */
  readonly stopText: string | null
  /** The usage that was billed. It comes from the receipt and not from the worker. */
  readonly billed: TokenCounts
  readonly reasoningTokens: number
  /** The amount that the ledger debited for it: durable, and never an estimate. */
  readonly cost: PicoDollars
  /** The settled balance of the account after that debit. */
  readonly balanceAfter: PicoDollars
}

/** The events of one streamed answer, as text that is ready to be sent. */
export interface AnswerStream {
  opening(): string
  /** Keeps an idle stream alive without meaning anything. This is only sent after the opening. */
  keepAlive(): string
  parts(parts: readonly AnswerPart[]): string
  /** Writes everything from the finish reason to the end of the stream. */
  ending(ending: AnswerEnding): string
  /** Writes the last event of a stream that broke; nothing follows it. */
  failure(error: ServiceError): string
}

/** A request that was understood, and the way to show its answer. Used for one answer only. */
export interface ParsedInference {
  readonly request: InferenceRequest
  /** Further headers of the answer, such as the names of tools that were left out. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body of an answer that is not streamed. */
  render(heading: AnswerHeading, parts: readonly AnswerPart[], ending: AnswerEnding): string
  stream(heading: AnswerHeading): AnswerStream
  /**
   * Keeps the answer for later requests, where the caller wants that. Called when the answer is
   * billed and its end is made, before the end is sent.
   */
  keep?(): Promise<void>
}

export interface ParseContext {
  readonly requestId: string
  /** The account whose stored objects the request may name. */
  readonly accountId: string
}

/** One wire format. A new format is a new folder that exports one of these. */
export interface InferenceFormat {
  readonly name: WireFormat
  /** @throws {ServiceError} a 400 that names the field at fault */
  parse(body: JsonObject, context: ParseContext): ParsedInference | Promise<ParsedInference>
}
