/**
 * What these tests know of a wire format: how a conversation is written in it, and where in an
 * answer the specification says that things are (4.3). Every answer is read by its contract, so
 * that a field that is not documented, or is missing, fails.
 */
import type { ClientFamily } from '@svc/gateway/http/client-family'
import type { Conversation } from './conversation.ts'

export interface ReadAnswer {
  readonly model: string
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly { readonly name: string; readonly input: unknown }[]
  readonly stop: string
  readonly input: number
  readonly output: number
  /** Null where the format reports none. */
  readonly cached: number | null
}

export interface WireFormat {
  readonly name: 'chat' | 'responses' | 'messages'
  /** In whose words its errors are told. */
  readonly family: ClientFamily
  /** Where it is served; all behave the same. */
  readonly paths: readonly [string, ...string[]]
  /** Counts the input of a body, where the format has a route for it. */
  readonly countPath: string | null
  /** With the stop reasons that mean a plain end, a cut at the limit, and a call. */
  readonly stops: { readonly end: string; readonly limit: string; readonly call: string }
  /** The fields that ask for a stream which ends with its usage. */
  readonly streamFields: object
  body(conversation: Conversation, fields?: object): object
  readAnswer(body: unknown): ReadAnswer
  /** @param stream the text of a whole stream */
  readStream(stream: string): ReadAnswer
}

/** The fields that all formats name alike. */
export const commonFields = { model: 'svc-beta', temperature: 0 }

/** The most tokens of an answer, where the conversation does not say. */
export const DEFAULT_MAX_TOKENS = 120

/** The data of the events of a stream. */
export function eventsOf(stream: string): readonly unknown[] {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)))
}
