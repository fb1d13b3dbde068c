/** Bodies as bytes: they are scanned before they are parsed. */
import { ServiceError } from '@svc/contracts/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { checkMediaType } from './limits.ts'

export async function refuseOtherMedia(request: FastifyRequest): Promise<void> {
  checkMediaType(request.raw)
}

/** @throws {ServiceError} `invalid_json` when there is none */
export function bodyBytes(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body
  throw new ServiceError('invalid_json', 'The request has no body.')
}

/** Call it in a context of its own: it changes how all its routes read bodies. */
export function keepBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
}
