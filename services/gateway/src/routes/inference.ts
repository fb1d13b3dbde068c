/** The routes that cost money. */
import { ServiceError } from '@svc/contracts/errors'
import {
  noObserver,
  type ObservedRequest,
  type RequestIdentity,
  type RequestObserver,
} from '@svc/contracts/ports/request-observer'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AdmissionHooks, takePlace } from '../admission/admission.ts'
import { authenticated, type Callers, callerOf } from '../admission/callers.ts'
import { ClientGone } from '../admission/stop.ts'
import { chatFormat } from '../formats/chat/format.ts'
import type { InferenceFormat } from '../formats/inference-request.ts'
import { messagesFormat } from '../formats/messages/format.ts'
import { compactFormat } from '../formats/responses/compact.ts'
import { type ResponsesFormatPorts, responsesFormat } from '../formats/responses/format.ts'
import { ClientConnection } from '../http/client-connection.ts'
import { asServiceError } from '../http/error-response.ts'
import { bodyBytes, refuseOtherMedia } from '../http/request-body.ts'
import { liveRequest, type RequestLifePorts } from '../request/life.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Observes the request from when its answer is made. */
    watched: ObservedRequest | null
  }
}

export type InferencePorts = RequestLifePorts &
  ResponsesFormatPorts & {
    readonly callers: Pick<Callers, 'identify'>
    readonly requestObserver?: RequestObserver | undefined
  }

export interface InferenceRoute {
  readonly url: string
  readonly format: InferenceFormat
}

/** Each format's path; what stands under both prefixes behaves the same. */
function publicRoutes(ports: ResponsesFormatPorts): readonly InferenceRoute[] {
  const responses = responsesFormat(ports)
  const compact = compactFormat(ports)
  return [
    { url: '/v1/chat/completions', format: chatFormat },
    { url: '/pro/v1/chat/completions', format: chatFormat },
    { url: '/v1/responses', format: responses },
    { url: '/pro/v1/responses', format: responses },
    { url: '/v1/responses/compact', format: compact },
    { url: '/pro/v1/responses/compact', format: compact },
    { url: '/v1/messages', format: messagesFormat },
  ]
}

/** Registers into a context of its own, whose bodies are kept as bytes: we scan before we parse. */
export function inferenceRoutes(
  ports: InferencePorts,
  admission: AdmissionHooks,
  routes: readonly InferenceRoute[] = publicRoutes(ports),
) {
  const { requestObserver = noObserver } = ports
  return async (app: FastifyInstance): Promise<void> => {
    app.decorateRequest('watched', null)
    admission.prepare(app)
    for (const { url, format } of routes) {
      // All this comes before the body is read: who has no key, or too much under way, gets no
      // memory.
      const onRequest = [
        authenticated(ports.callers),
        refuseOtherMedia,
        refusePipelined,
        admission.admit,
      ]
      const onError = noteRefusal(format)
      app.post(url, { onRequest, onError }, (request, reply) => answer(format, request, reply))
    }
  }

  /** Notes requests that did not get as far as their answer, which notes its own end. */
  function noteRefusal({ name }: InferenceFormat) {
    return async (request: FastifyRequest, _reply: FastifyReply, cause: unknown) => {
      if (request.watched !== null) return
      requestObserver.refused(name, asServiceError(cause), identityOf(request))
    }
  }

  async function answer(
    format: InferenceFormat,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { place, hasCredit } = takePlace(request)
    const watched = requestObserver.begin(format.name, identityOf(request))
    request.watched = watched
    const client = new ClientConnection(reply.raw, ports.timer, ports.limits.writeStallMs)
    client.onGone(() => place.stop.stop('client_gone'))
    try {
      await liveRequest(ports, {
        requestId: request.id,
        caller: callerOf(request),
        format,
        route: request.url,
        body: bodyBytes(request.body),
        idempotencyKey: request.headers['idempotency-key'],
        client,
        place,
        hasCredit,
        watched,
      })
      watched.ended('answered')
      reply.hijack()
    } catch (cause) {
      const left = cause instanceof ClientGone || client.gone
      watched.ended(left ? 'left' : asServiceError(cause))
      if (!left) throw cause
      reply.hijack()
      client.cut()
      if (!(cause instanceof ClientGone || cause instanceof ServiceError)) throw cause
    } finally {
      place.leave()
    }
  }
}

function identityOf({ id, caller }: FastifyRequest): RequestIdentity {
  return { requestId: id, accountId: caller?.accountId ?? null, keyId: caller?.keyId ?? null }
}

/**
 * Refuses a request behind another on the same socket: until its turn comes its answer has no
 * socket, and nobody sees its client leave.
 */
async function refusePipelined(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (reply.raw.socket !== null) return
  const message = 'Wait for an answer before you send the next request on its connection.'
  throw new ServiceError('invalid_request', message)
}
