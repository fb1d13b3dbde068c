/** The routes that cost money. */
import { ServiceError } from '@svc/contracts/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ClientConnection } from '../client-connection.ts'
import { chatFormat } from '../formats/chat/format.ts'
import { checkMediaType } from '../http-limits.ts'
import type { InferenceFormat } from '../inference-request.ts'
import { liveRequest, type RequestLifePorts } from '../request-life.ts'
import type { RunningRequest, RunningRequests } from '../running-requests.ts'
import { ClientGone } from '../stop.ts'
import { authenticated, callerOf } from './authenticated.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Held from the head of an inference request until its answer takes it over. */
    place: RunningRequest | null
  }
}

/** Each format's path under both prefixes; the behaviour is the same. */
const routes: readonly { readonly url: string; readonly format: InferenceFormat }[] = [
  { url: '/v1/chat/completions', format: chatFormat },
  { url: '/pro/v1/chat/completions', format: chatFormat },
]

/** Registers into a context of its own, whose bodies are kept as bytes: we scan before we parse. */
export function inferenceRoutes(ports: RequestLifePorts, running: RunningRequests) {
  return async (app: FastifyInstance): Promise<void> => {
    app.decorateRequest('place', null)
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    for (const { url, format } of routes) {
      // All before the body is read: who has no key, or too much under way, gets no memory.
      const onRequest = [authenticated(ports.ledger), refuseOtherMedia, refusePipelined, takePlace]
      app.post(url, { onRequest }, (request, reply) => answer(format, request, reply))
    }
  }

  /** Given up with the connection when the request never gets as far as its answer. */
  async function takePlace(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    request.place = running.enter(callerOf(request).keyId)
    reply.raw.once('close', () => request.place?.leave())
  }

  async function answer(
    format: InferenceFormat,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { stop, leave } = placeOf(request)
    request.place = null
    const client = new ClientConnection(reply.raw, ports.timer, ports.limits.writeStallMs)
    client.onGone(() => stop.stop('client_gone'))
    try {
      await liveRequest(ports, {
        requestId: request.id,
        caller: callerOf(request),
        format,
        route: request.url,
        body: bodyBytes(request.body),
        idempotencyKey: request.headers['idempotency-key'],
        client,
        stop,
      })
      reply.hijack()
    } catch (cause) {
      if (!(cause instanceof ClientGone) && !client.gone) throw cause
      reply.hijack()
      client.cut()
      if (!(cause instanceof ClientGone || cause instanceof ServiceError)) throw cause
    } finally {
      leave()
    }
  }
}

async function refuseOtherMedia(request: FastifyRequest): Promise<void> {
  checkMediaType(request.raw)
}

/** Until its turn comes, an answer has no socket, and nobody sees its client leave. */
async function refusePipelined(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (reply.raw.socket !== null) return
  const message = 'Wait for an answer before you send the next request on its connection.'
  throw new ServiceError('invalid_request', message)
}

function placeOf(request: FastifyRequest): RunningRequest {
  if (request.place === null) throw new Error(`${request.url} has no place to run in`)
  return request.place
}

function bodyBytes(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body
  throw new ServiceError('invalid_json', 'The request has no body.')
}
