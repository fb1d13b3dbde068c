/**
 * Every operation that is declared, each for the callers whose role is enough. Who the callers are,
 * and what they prove it with, says whoever mounts the routes; it also reads JSON bodies, and
 * answers with the `ServiceError`s that are thrown here.
 */
import type { Caller } from '@svc/contracts/admin/caller'
import type { Declaration } from '@svc/contracts/admin/declaration'
import { adminOperations, type Operations, operationNames } from '@svc/contracts/admin/operations'
import { isAllowed } from '@svc/contracts/admin/roles'
import { ServiceError } from '@svc/contracts/errors'
import type { AdminRole } from '@svc/contracts/events/admin-tokens'
import { givenFields } from '@svc/contracts/parsed-input'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { lineStream } from './line-stream.ts'
import { OpenStreams } from './open-streams.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The least role that may call a route of the operator's; without one, nobody may. */
    readonly leastRole?: AdminRole | 'anybody'
  }
  interface FastifyRequest {
    /** The caller of a route of the operator's; null on an open one. */
    adminCaller: Caller | null
  }
}

export interface OperationCallers {
  /** @throws {ServiceError} for whoever is nobody here */
  identify(request: FastifyRequest): Promise<Caller>
  /** @throws {ServiceError} when the caller may not go on, though it was let in */
  requireStill(caller: Caller): Promise<void>
}

export interface OperationRoutes {
  readonly operationsOf: (caller: Caller) => Operations
  readonly callers: OperationCallers
}

/** Every operation parses its input by itself: so it takes whatever a request gives. */
type Handler = (given: unknown, signal: AbortSignal) => Promise<unknown> | AsyncIterable<object>

/** Makes routes, to be registered into a context of their own: each says the least role for it. */
export function operationRoutes({ operationsOf, callers }: OperationRoutes): FastifyPluginAsync {
  return async (app: FastifyInstance) => {
    const streams = new OpenStreams()
    app.decorateRequest('adminCaller', null)
    app.addHook('onRequest', (request) => authorize(callers, request))
    for (const name of operationNames) {
      const declared: Declaration = adminOperations[name]
      app.route({
        method: declared.method,
        url: declared.path,
        config: { leastRole: declared.role },
        // A HEAD would do all of a long work for a body that nobody gets.
        exposeHeadRoute: declared.answer === 'json',
        handler(request, reply) {
          const caller = callerOf(request)
          const handler = operationsOf(caller)[name] as Handler
          const requireStill = () => callers.requireStill(caller)
          return answer({ caller, streams, declared, handler, requireStill }, request, reply)
        },
      })
    }
  }
}

/** The one place where it is decided who may do what, before any of the body is read. */
async function authorize(callers: OperationCallers, request: FastifyRequest): Promise<void> {
  const { leastRole } = request.routeOptions.config
  if (leastRole === 'anybody') return
  const caller = await callers.identify(request)
  if (leastRole === undefined || !isAllowed(caller.role, leastRole)) {
    const needed = `the role ${leastRole ?? 'of nobody'}`
    const message = `This needs ${needed}, and you have the role ${caller.role}.`
    throw new ServiceError('not_allowed', message)
  }
  request.adminCaller = caller
}

function callerOf({ adminCaller, url }: FastifyRequest): Caller {
  if (adminCaller === null) throw new Error(`${url} is not behind authentication`)
  return adminCaller
}

interface Asked {
  readonly caller: Caller
  readonly streams: OpenStreams
  readonly declared: Declaration
  readonly handler: Handler
  /**
   * Is asked before the answer begins, and for every line. Throws when the caller may no longer
   * have it.
   */
  requireStill(): Promise<void>
}

async function answer(
  { caller, streams, declared, handler, requireStill }: Asked,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  // A body may come slowly: its sender's right may have ended meanwhile.
  await requireStill()
  const input = givenIn(declared, request)
  const gone = new AbortController()
  const outcome = handler(input, gone.signal)
  if (!(Symbol.asyncIterator in outcome)) return outcome
  reply.raw.on('close', () => gone.abort())
  streams.enter(caller, reply.raw)
  const lines = await lineStream(outcome, requireStill, gone.signal, (err) => {
    request.log.error({ requestId: request.id, err }, 'request failed with an internal error')
  })
  return reply.type('application/x-ndjson').send(lines)
}

/** Collects the input as it was given. The operations parse it before they do anything else. */
function givenIn(declared: Declaration, request: FastifyRequest): object {
  const given = givenFields(declared, request)
  const key = request.headers['idempotency-key']
  const takesKey = key !== undefined && 'idempotency_key' in declared.input.shape
  return takesKey ? { ...given, idempotency_key: key } : given
}
