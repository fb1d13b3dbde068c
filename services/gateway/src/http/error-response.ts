/** Errors as HTTP answers: one shape per format, the same headers everywhere, no internals. */
import { ServiceError } from '@svc/contracts/errors'
import { answerableError } from '@svc/contracts/ports/answerable-error'
import { STATUS_CODES } from '@svc/infra/http/node-http'
import type { FastifyReply } from 'fastify'
import {
  type ClientFamily,
  clientFamilyOf,
  errorBody,
  errorStatus,
  rateHeaders,
} from './client-family.ts'
import { DISCARDED_BYTES_MAX } from './pacing/refused-bodies.ts'

/** The status from which on clients retry by themselves unless a header forbids it. */
const FIRST_RETRIED_STATUS = 401
/** The errors that are told with the rest of the body unread. */
const UNREAD: ReadonlySet<string> = new Set(['request_too_large', 'request_timeout'])

/** Names the request under both names that clients look for. */
export function identity(requestId: string): Record<string, string> {
  return { 'x-request-id': requestId, 'request-id': requestId }
}

/**
 * The headers never contradict each other: `Retry-After` only comes with `x-should-retry: true`.
 */
export function refusalHeaders(error: ServiceError, family: ClientFamily): Record<string, string> {
  const { entry, retryAfterSeconds, rate } = error
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (!entry.retry) {
    if (entry.status >= FIRST_RETRIED_STATUS) headers['x-should-retry'] = 'false'
  } else if (retryAfterSeconds !== undefined) {
    headers['x-should-retry'] = 'true'
    headers['retry-after'] = String(retryAfterSeconds)
  }
  if (entry.status === 401) headers['www-authenticate'] = 'Bearer'
  return rate === undefined ? headers : { ...headers, ...rateHeaders(family, rate) }
}

export function refuse(reply: FastifyReply, error: ServiceError): FastifyReply {
  if (error.requestId !== undefined) reply.headers(identity(error.requestId))
  if (UNREAD.has(error.code)) reply.header('connection', 'close')
  if (error.code === 'request_too_large') drainBody(reply)
  const family = clientFamilyOf(reply.request.raw)
  return reply
    .code(errorStatus(family, error))
    .headers(refusalHeaders(error, family))
    .send(errorBody(family, error, error.requestId ?? reply.request.id))
}

/**
 * Discards the rest of the body, within bounds. The framework closes the connection of a larger
 * one, and of one without a length.
 */
function drainBody(reply: FastifyReply): void {
  const length = Number(reply.request.raw.headers['content-length'])
  if (length <= DISCARDED_BYTES_MAX) reply.removeHeader('connection')
}

/** A refusal as raw HTTP, for what Node gives up on before there is a request. */
export function rawRefusal(
  error: ServiceError,
  requestId: string,
  family: ClientFamily,
  status?: number,
): string {
  const code = status ?? errorStatus(family, error)
  const body = errorBody(family, error, requestId)
  const headers = {
    ...refusalHeaders(error, family),
    ...identity(requestId),
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${code} ${STATUS_CODES[code]}\r\n${lines.join('')}\r\n${body}`
}

interface FrameworkError {
  readonly code?: string
  readonly statusCode?: number
}

/**
 * Makes errors of the catalogue of what the framework and Node throw. Anything else is our own
 * defect.
 */
export function asServiceError(cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause
  const { code, statusCode } = (cause ?? {}) as FrameworkError
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ServiceError('request_too_large', 'The body is larger than the limit.', { cause })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ServiceError('unsupported_media_type', 'Send the body as application/json.', {
        cause,
      })
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('headers_too_large', 'The headers are larger than the limit.')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ServiceError('request_too_large', 'The chunk extensions are too large.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('request_timeout', 'The request arrived too slowly.')
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new ServiceError('invalid_json', 'The body is not valid JSON.', { cause })
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ServiceError('invalid_request', 'The request is malformed.', { cause })
  }
  return answerableError(cause)
}
