/**
 * Which family of clients asks, and what it is sent in the terms of that family: errors and rate
 * headers. The key header does not tell the families apart. The path does, and on shared paths the
 * version header that only Messages clients send.
 */
import type { IncomingMessage } from 'node:http'
import type { RateState, ServiceError } from '@svc/contracts/errors'
import type { Clock } from '@svc/contracts/ports/time'
import { systemClock } from '@svc/infra/system/system-clock'
import { anthropicError } from '../formats/anthropic-error.ts'
import { openAiError } from '../formats/openai-error.ts'

export type ClientFamily = 'openai' | 'anthropic'

const MINUTE_SECONDS = 60
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

/** The rate limits, in the headers that the clients of the family read. */
export function rateHeaders(
  family: ClientFamily,
  rate: RateState,
  clock: Clock = systemClock,
): Record<string, string> {
  const { limit, remaining, resetSeconds } = rate
  if (family === 'anthropic') {
    return {
      'anthropic-ratelimit-requests-limit': String(limit),
      'anthropic-ratelimit-requests-remaining': String(remaining),
      'anthropic-ratelimit-requests-reset': resetTime(clock.nowMs(), resetSeconds),
    }
  }
  return {
    'x-ratelimit-limit-requests': String(limit),
    'x-ratelimit-remaining-requests': String(remaining),
    'x-ratelimit-reset-requests': durationText(resetSeconds),
  }
}

/** Writes a time in RFC 3339, in whole seconds. */
function resetTime(nowMs: number, seconds: number): string {
  return new Date(nowMs + seconds * 1_000).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** Writes a duration such as `12s` or `6m0s`. */
function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / MINUTE_SECONDS)
  const rest = `${seconds % MINUTE_SECONDS}s`
  return minutes === 0 ? rest : `${minutes}m${rest}`
}
