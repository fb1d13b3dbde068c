/** Bodies of requests, as bytes, within bounds: they are scanned before they are parsed. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@svc/contracts/errors'
import type { Timer } from '@svc/contracts/ports/time'
import { type JsonLimits, type JsonObject, strictJsonObject } from '@svc/contracts/strict-json'
import { patient } from '@svc/infra/system/patient-timer'
import type { FastifyRequest } from 'fastify'
import { checkMediaType } from './request-head.ts'

export interface BodyBounds {
  readonly bytes: number
  readonly timeoutMs: number
  /** Makes the error for a body with more bytes. */
  tooLarge(): ServiceError
}

/**
 * Reads the body of a request that has its place.
 *
 * @throws {ServiceError} `request_timeout`, `invalid_request`, or what `tooLarge` makes
 */
export function readBody(
  request: IncomingMessage,
  bounds: BodyBounds,
  timer: Timer,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let bytes = 0
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length
    if (bytes > bounds.bytes) fail(bounds.tooLarge())
    else chunks.push(chunk)
  }
  const onEnd = (): void => {
    release()
    resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
  }
  const onGone = (): void => fail(new ServiceError('invalid_request', 'The body is incomplete.'))
  const release = (): void => {
    cancel()
    request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone)
  }
  const fail = (error: ServiceError): void => {
    release()
    reject(error)
  }
  const tooSlow = (): void =>
    fail(new ServiceError('request_timeout', 'The request arrived too slowly.'))
  const cancel = patient(timer).after(bounds.timeoutMs, tooSlow)
  request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone)
  return promise
}

/** The `content-length`; undefined for a body in chunks. */
export function declaredBytes({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length']
  if (length !== undefined) return Number(length)
  return headers['transfer-encoding'] === undefined ? 0 : undefined
}

export async function refuseOtherMedia(request: FastifyRequest): Promise<void> {
  checkMediaType(request.raw)
}

/** @throws {ServiceError} `invalid_json` when there is none */
export function bodyBytes(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body
  throw new ServiceError('invalid_json', 'The request has no body.')
}

/**
 * @param bytes the whole body
 * @param limits in place of the usual ones
 * @throws {ServiceError} `invalid_json`
 */
export function readJsonObject(bytes: Buffer, limits: Partial<JsonLimits> = {}): JsonObject {
  const source = 'the body of your request'
  if (isUtf8(bytes)) return strictJsonObject(bytes.toString('utf8'), source, limits)
  throw new ServiceError('invalid_json', `We could not parse ${source}: it is not valid UTF-8.`)
}
