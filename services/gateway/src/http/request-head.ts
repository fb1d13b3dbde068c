/** Checks of a request's head that Node leaves to us. */
import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@svc/contracts/errors'
import type { HttpLimits } from './limits.ts'

/** Parameters follow the type: of those, JSON in UTF-8 makes nothing of any but a charset. */
const JSON_CONTENT = /^application\/json[ \t]*(?:;|$)/i
const CHARSETS = /;[ \t]*charset[ \t]*=[ \t]*("[^"]*"|[^;]*)/gi
const UTF_8 = /^(?:utf-?8[ \t]*|"utf-?8")$/i
/** Headers that decide who pays: a second one is never silently dropped. */
const SINGLE_HEADERS = ['host', 'authorization', 'x-api-key', 'idempotency-key', 'content-type']

/**
 * Refuses what Node answers with 200, or mends by dropping something.
 *
 * @throws {ServiceError}
 */
export function checkHead(request: IncomingMessage, limits: HttpLimits): void {
  if (request.httpVersionMajor < 1) {
    throw new ServiceError('invalid_request', 'The request line names no HTTP version.')
  }
  if ((request.url?.length ?? 0) > limits.urlBytes) {
    throw new ServiceError('url_too_long', `The URL is longer than ${limits.urlBytes} bytes.`)
  }
  const { rawHeaders, httpVersion, headers } = request
  if (httpVersion === '1.1' && headers.host === undefined) {
    throw new ServiceError('invalid_request', 'The header "host" is missing.')
  }
  const coding = headers['transfer-encoding']
  if (coding !== undefined && !/^chunked$/i.test(coding)) {
    throw new ServiceError('unsupported_media_type', 'Send the body plain, or chunked and no more.')
  }
  if (rawHeaders.length > limits.headerCount * 2) {
    const message = `The request has more than ${limits.headerCount} headers.`
    throw new ServiceError('headers_too_large', message)
  }
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    if (!SINGLE_HEADERS.includes(name)) continue
    if (seen.has(name)) {
      throw new ServiceError('invalid_request', `The header "${name}" is there twice.`)
    }
    seen.add(name)
  }
}

/** @throws {ServiceError} `unsupported_media_type` */
export function checkMediaType(request: IncomingMessage): void {
  const type = request.headers['content-type']
  if (type === undefined || !JSON_CONTENT.test(type) || !isUtf8(type)) {
    throw new ServiceError('unsupported_media_type', 'Send the body as application/json in UTF-8.')
  }
  const coding = request.headers['content-encoding']
  // The coding `identity` is no coding at all.
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw new ServiceError('unsupported_media_type', 'Send the body without a Content-Encoding.')
  }
}

/** Whether the content type names no other charset. */
function isUtf8(type: string): boolean {
  return [...type.matchAll(CHARSETS)].every(([, charset = '']) => UTF_8.test(charset))
}
