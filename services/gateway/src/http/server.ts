/** Fastify with our limits, our errors, and an id on every answer: what all routes stand on. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError, serverStopping } from '@svc/contracts/errors'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import type { CountedWarnings } from '@svc/infra/system/counted-warnings'
import { networkOf, networksOf } from '@svc/infra/system/network'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { Logger } from 'pino'
import type { RootUrl } from './base-address.ts'
import { clientFamilyOf } from './client-family.ts'
import { type CrossOrigin, isPreflight, preflightHeaders } from './cross-origin.ts'
import { asServiceError, identity, rawRefusal, refuse } from './error-response.ts'
import type { HttpLimits } from './limits.ts'
import { CutAnswerLog } from './log-cut-answer.ts'
import { BusyTurns } from './pacing/busy-turns.ts'
import type { RefusalPauses } from './pacing/refusal-pauses.ts'
import type { RefusedBodies } from './pacing/refused-bodies.ts'
import { isDisguised, KnownPaths, normalizedPath, pathOf, unknownUrl } from './paths.ts'
import { declaredBytes } from './request-body.ts'
import { checkHead } from './request-head.ts'
import { SocketShares } from './sockets/socket-shares.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is there to refuse: its method is not among those that its path takes. */
    servesNothing?: boolean
  }
}

/** How often Node looks at its time-outs; its default of 30 s makes them fire far too late. */
const CONNECTIONS_CHECK_INTERVAL_MS = 1_000
/** How long sockets are given to take their last bytes when the server closes. */
const LAST_BYTES_MS = 2_000
const EXPECTATION_FAILED = 417
const NO_CONTENT = 204
const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT'
/**
 * How much of a body is read before anybody wants it, but for what came with the head. Each
 * connection that waits holds this much, and V8 collects the garbage of all threads for every 32
 * MiB of it.
 */
const READ_AHEAD_BYTES = 16 * 1024

interface ClientError extends Error {
  readonly code?: string
  /** The bytes that were being read. */
  readonly rawPacket?: unknown
}

export interface HttpServerOptions {
  readonly limits: HttpLimits
  readonly logger: Logger
  readonly rootUrl: RootUrl
  readonly timer: Timer
  readonly clock: Clock
  /** Addresses and networks whose `X-Forwarded-…` headers are believed. */
  readonly trustedProxies: readonly string[]
  /** Whose pages may read answers in a browser. */
  readonly crossOrigin: CrossOrigin
  readonly refusalPauses: RefusalPauses
  readonly warnings: CountedWarnings
  readonly refusedBodies: RefusedBodies
  newRequestId(): string
  isDraining(): boolean
}

export interface HttpServer {
  readonly app: FastifyInstance
  /** Refuses new connections; those that are open go on. */
  stopListening(): void
  close(): Promise<void>
}

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { limits, logger, newRequestId, trustedProxies } = options
  const turns = new BusyTurns(options.clock)
  const app: FastifyInstance = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    // One child logger per request costs more than all the rest of the framework.
    childLoggerFactory: (parent) => parent,
    logController: new CutAnswerLog(),
    genReqId: newRequestId,
    rewriteUrl: ({ url }) => normalizedPath(url ?? '/'),
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    bodyLimit: limits.bodyBytes,
    keepAliveTimeout: limits.keepAliveMs,
    // The body of a request that waits for its turn is not read; once it is, `readBody` watches it.
    requestTimeout: limits.waitMs + limits.requestTimeoutMs,
    maxRequestsPerSocket: limits.requestsPerSocket,
    forceCloseConnections: 'idle',
    // While it drains, the hook `onRequest` answers, in our own shape.
    return503OnClosing: false,
    routerOptions: { maxParamLength: limits.urlBytes },
    // Without this the framework loads a hundred files of its own at each start, for nothing.
    schemaController: {
      compilersFactory: { buildValidator: noJsonSchemas, buildSerializer: noJsonSchemas },
    },
    http: {
      // Node would answer a missing Host by itself, without a body: `checkHead` does it.
      requireHostHeader: false,
      maxHeaderSize: limits.headerBytes,
      keepAliveTimeoutBuffer: limits.keepAliveGraceMs,
      highWaterMark: READ_AHEAD_BYTES,
      headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
      connectionsCheckingInterval: CONNECTIONS_CHECK_INTERVAL_MS,
    },
    frameworkErrors: (error, request, reply) => {
      setIdentity(reply, request.id)
      refuse(reply, asServiceError(error))
    },
    clientErrorHandler: (error, socket) => {
      const refuseIt = () => refuseRaw(error, socket, newRequestId())
      // Node ends those that are too slow all at once, as many as there are.
      if (error.code !== TOO_SLOW || !turns.isOver()) refuseIt()
      else turns.putOff(networkOf(socket.remoteAddress ?? ''), refuseIt)
    },
  })
  prepareServer(app.server, options, turns)
  prepareAnswers(app, options)
  return {
    app,
    stopListening: () => app.server.close(),
    close: () => closeServer(app, options.timer),
  }
}

function prepareServer(server: Server, options: HttpServerOptions, turns: BusyTurns): void {
  const { limits, newRequestId, trustedProxies } = options
  // There is a margin, because sockets that are cut for a newcomer are not gone at once.
  server.maxConnections = limits.sockets * 2
  new SocketShares({ ...options, turns, isProxy: networksOf(trustedProxies) }).watch(server)
  // Node would drop what is above its own limit in silence; `checkHead` counts and refuses.
  server.maxHeadersCount = 0
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const error = new ServiceError('invalid_request', 'The expectation cannot be met.')
    const family = clientFamilyOf(request)
    response.socket?.end(rawRefusal(error, newRequestId(), family, EXPECTATION_FAILED))
  })
}

function prepareAnswers(app: FastifyInstance, options: HttpServerOptions): void {
  const { limits, logger, isDraining, refusalPauses, refusedBodies, rootUrl, warnings } = options
  const { crossOrigin } = options
  const paths = new KnownPaths()
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.servesNothing !== true) paths.add(url, method)
  })
  app.decorateRequest('caller', null)
  app.decorateRequest('hasPaused', false)
  app.decorateRequest('member', null)
  app.addHook('onRequest', (request, reply, done) => {
    setIdentity(reply, request.id)
    const shared = crossOrigin.headersFor(request.raw)
    if (shared !== undefined) setHeaders(reply, shared)
    closeAtLimit(reply)
    if (isDraining()) throw refusedWhileDraining(reply)
    checkHead(request.raw, limits)
    if (request.is404 || isDisguised(pathOf(request.raw.url ?? ''))) {
      const methods = methodsOf(paths, request)
      if (shared !== undefined && isPreflight(request.raw) && methods.length > 0) {
        return answerPreflight(request, reply, methods, refusalPauses)
      }
      throw noSuchRoute(methods, rootUrl, request, reply)
    }
    done()
  })
  app.setNotFoundHandler((request, reply) => {
    throw noSuchRoute(methodsOf(paths, request), rootUrl, request, reply)
  })
  app.setErrorHandler(async (cause, request, reply) => {
    const error = asServiceError(cause)
    if (error.code === 'internal_error') {
      logger.error({ requestId: request.id, err: cause }, 'request failed with an internal error')
    } else if (isRefusedByStore(error)) {
      warnings.warn('requests refused: the event store cannot take them', cause)
    }
    if (!isDraining()) await refusalPauses.pauseBefore(request, reply)
    refusedBodies.discard(request, declaredBytes(request.raw))
    return refuse(reply, error)
  })
}

/** A request that was accepted is not refused any more: whoever settles it logs why it failed. */
function isRefusedByStore({ code, requestId }: ServiceError): boolean {
  return (code === 'store_unavailable' || code === 'store_rewound') && requestId === undefined
}

/** Sets the id on the raw response, so that answers that bypass the framework carry it too. */
function setIdentity(reply: FastifyReply, requestId: string): void {
  setHeaders(reply, identity(requestId))
  reply.raw.setHeader('x-content-type-options', 'nosniff')
  // Answers hold secrets, balances and what was said: no cache on the way may keep one.
  reply.raw.setHeader('cache-control', 'no-store')
}

function setHeaders({ raw }: FastifyReply, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) raw.setHeader(name, value)
}

/** It is as cheap as a refusal, and whoever repeats it without end is slowed down as by those. */
function answerPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  methods: readonly string[],
  pauses: RefusalPauses,
): void {
  setHeaders(reply, preflightHeaders(methods))
  void pauses.pauseBefore(request, reply).then(() => reply.code(NO_CONTENT).send())
}

/**
 * At its limit Node only announces the end, and answers what comes all the same with a bare 503. A
 * header that we set ourselves it takes at its word.
 */
function closeAtLimit({ raw }: FastifyReply): void {
  const { maxRequestsOnConnectionReached } = raw as { maxRequestsOnConnectionReached?: boolean }
  if (maxRequestsOnConnectionReached) raw.setHeader('connection', 'close')
}

function refusedWhileDraining(reply: FastifyReply): ServiceError {
  reply.header('connection', 'close')
  return serverStopping()
}

/** @param methods that the path takes */
function noSuchRoute(
  methods: readonly string[],
  rootUrl: RootUrl,
  request: FastifyRequest,
  reply: FastifyReply,
): ServiceError {
  const { url = '', method = '' } = request.raw
  const path = pathOf(url)
  if (methods.length === 0) {
    const family = clientFamilyOf(request.raw)
    return unknownUrl({ method, path, family, rootUrl: rootUrl(request) })
  }
  const allowed = methods.join(', ')
  reply.header('allow', allowed)
  return new ServiceError('method_not_allowed', `${path} takes ${allowed}, not ${method}.`)
}

function methodsOf(paths: KnownPaths, { raw }: FastifyRequest): readonly string[] {
  const path = pathOf(raw.url ?? '')
  return isDisguised(path) ? [] : paths.methodsOf(path)
}

/**
 * Answers what never became a request: malformed, oversized or too slow. What comes behind a whole
 * request is not answered in that request's place: it is told its own end, then the connection is.
 */
function refuseRaw(cause: ClientError, socket: Socket, requestId: string): void {
  const answering = (socket as { _httpMessage?: ServerResponse })._httpMessage
  if (cause.code !== 'ECONNRESET' && answering?.req.complete) {
    if (answering.shouldKeepAlive) answering.once('close', () => socket.destroySoon())
    answering.shouldKeepAlive = false
    return
  }
  if (cause.code === 'ECONNRESET' || !socket.writable || answering?.headersSent) {
    socket.destroy()
    return
  }
  const error = cause.code?.startsWith('HPE_')
    ? asServiceError({ code: cause.code, statusCode: 400 })
    : asServiceError(cause)
  const family = clientFamilyOf(answering?.req ?? { url: urlOfPacket(cause), headers: {} })
  socket.end(rawRefusal(error, requestId, family))
  socket.resume()
}

/** When a head could not be read, it usually is whole in the packet all the same. */
function urlOfPacket({ rawPacket }: ClientError): string {
  const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : ''
  return /^[A-Z]+ (\S+)/.exec(text)?.[1] ?? '/'
}

async function closeServer(app: FastifyInstance, timer: Timer): Promise<void> {
  const cancelCut = timer.after(LAST_BYTES_MS, () => app.server.closeAllConnections())
  try {
    await app.close()
  } finally {
    cancelCut()
  }
}

/** Bodies are checked by zod. */
function noJsonSchemas(): never {
  throw new Error('routes of this server have no JSON Schemas')
}
