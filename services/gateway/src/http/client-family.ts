/**
 * Which family of clients asks, and so in whose words it is told an error. The key header does not
 * tell them apart; what does is the path, and on shared paths the version header that only Messages
 * clients send.
 */
import type { IncomingMessage } from 'node:http'
import type { ServiceError } from '@svc/contracts/errors'
import { anthropicError } from '../formats/anthropic-error.ts'
import { openAiError } from '../formats/openai-error.ts'

export type ClientFamily = 'openai' | 'anthropic'

const MESSAGES_PATH = /^(?:\/pro)?(?:\/v1)*\/messages(?:[/?]|$)/

export function clientFamilyOf({
  url,
  headers,
}: Pick<IncomingMessage, 'url' | 'headers'>): ClientFamily {
  const isMessages = headers['anthropic-version'] !== undefined || MESSAGES_PATH.test(url ?? '')
  return isMessages ? 'anthropic' : 'openai'
}

/** The body of an error answer. */
export function errorBody(
  family: ClientFamily,
  error: ServiceError,
  requestId: string | null,
): string {
  return JSON.stringify(
    family === 'anthropic' ? anthropicError(error, requestId) : openAiError(error),
  )
}

/** The status of an error answer: Messages clients know an overload by a number of its own. */
export function errorStatus(family: ClientFamily, { code, entry }: ServiceError): number {
  return family === 'anthropic' && code === 'server_is_overloaded' ? 529 : entry.status
}
