/**
 * The operator's routes, mounted under `/admin/v1`: every operation that is declared, each for
 * the callers whose role is enough. Whoever mounts them reads JSON bodies, and answers with the `ServiceError`s they throw.
 */
import type { Caller } from '@svc/contracts/admin/caller'
import type { Declaration } from '@svc/contracts/admin/declaration'
import {
  adminOperations,
  type OperationName,
  type Operations,
} from '@svc/contracts/admin/operations'
import { isAllowed } from '@svc/contracts/admin/roles'
import { ServiceError } from '@svc/contracts/errors'
import type { AdminRole } from '@svc/contracts/events/admin-tokens'
import type { RateLimits } from '@svc/contracts/ports/rate-limits'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { AdminCallers, badToken } from '../access/admin-callers.ts'
import type { AdminTokens } from '../access/admin-tokens.ts'
import { METRICS_CONTENT_TYPE, type Metrics } from '../metrics/metrics.ts'
import { parsedInput } from '../operations/parsed-input.ts'
import { lineStream } from './line-stream.ts'
import { OpenStreams } from './open-streams.ts'
import { noncePattern, PROOF_PATH, serverProof } from './server-proof.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The least role that may call a route of the operator's; without one, nobody may. */
    readonly leastRole?: AdminRole | 'anybody'
  }
  interface FastifyRequest {
    /** Who calls a route of the operator's; null on an open one. */
    adminCaller: Caller | null
  }
}

const identityQuery = z.object({ nonce: z.string().regex(noncePattern) })

export interface AdminRoutes {
  readonly operationsOf: (caller: Caller) => Operations
  /** The root token of the first start. */
  readonly operatorToken: string
  readonly adminTokens: AdminTokens
  readonly rateLimits: RateLimits
  /** How many wrong tokens are looked at in a minute from one address. */
  readonly badTokensPerMinute: number
  /** Where these routes listen, as the record says that the CLI finds the server by. */
  readonly address?: () => string
  /** Without them `/metrics` is a path that is not there. */
  readonly metrics?: Pick<Metrics, 'text'>
}

/** What the table promises of every handler, and the compiler has checked of each. */
type Handler = (given: unknown, signal: AbortSignal) => Promise<unknown> | AsyncIterable<object>

export function adminRoutes(options: AdminRoutes): FastifyPluginAsync {
  const { operationsOf, operatorToken, address, metrics } = options
  return async (app: FastifyInstance) => {
    const callers = new AdminCallers({ ...options, rootToken: operatorToken })
    const streams = new OpenStreams()
    app.decorateRequest('adminCaller', null)
    app.addHook('onRequest', (request) => authorize(callers, request))
    if (metrics !== undefined) {
      app.get('/metrics', { config: { leastRole: 'metrics' } }, (_request, reply) => {
        reply.type(METRICS_CONTENT_TYPE)
        return metrics.text()
      })
    }
    if (address !== undefined) {
      app.get(PROOF_PATH, { config: { leastRole: 'anybody' } }, ({ query }) => {
        const { nonce } = parsedInput(identityQuery, query)
        return { proof: serverProof(operatorToken, address(), nonce) }
      })
    }
    for (const name of Object.keys(adminOperations) as OperationName[]) {
      const declared: Declaration = adminOperations[name]
      app.route({
        method: declared.method,
        url: declared.path,
        config: { leastRole: declared.role },
        handler(request, reply) {
          const caller = callerOf(request)
          const handler = operationsOf(caller)[name] as Handler
          const mayGoOn = () => callers.mayGoOn(caller)
          return answer({ caller, streams, declared, handler, mayGoOn }, request, reply)
        },
      })
    }
  }
}

/** The one place where it is decided who may do what, before any of the body is read. */
async function authorize(callers: AdminCallers, request: FastifyRequest): Promise<void> {
  const { leastRole } = request.routeOptions.config
  if (leastRole === 'anybody') return
  const caller = await callers.identify(request.headers.authorization, request.ip)
  if (leastRole === undefined || !isAllowed(caller.role, leastRole)) {
    const needed = `the role ${leastRole ?? 'of nobody'}`
    const message = `This needs ${needed}, and your admin token has the role ${caller.role}.`
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
  /** Whether the caller still may; asked before it begins, and for every line. */
  mayGoOn(): Promise<boolean>
}

async function answer(
  { caller, streams, declared, handler, mayGoOn }: Asked,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  // A body may come slowly: its sender's token may have ended meanwhile.
  if (!(await mayGoOn())) throw badToken()
  const input = givenIn(declared, request)
  const gone = new AbortController()
  if (declared.answer === 'json') return handler(input, gone.signal)
  reply.raw.on('close', () => gone.abort())
  streams.enter(caller, reply.raw)
  const lines = handler(input, gone.signal) as AsyncIterable<object>
  return reply.type('application/x-ndjson').send(await lineStream(lines, mayGoOn, gone.signal))
}

/** Not parsed yet: that is the first thing that the operations do. */
function givenIn(declared: Declaration, { params, query, body, headers }: FastifyRequest): object {
  const rest = declared.method === 'GET' ? query : (body ?? {})
  const key = headers['idempotency-key']
  const takesKey = key !== undefined && 'idempotency_key' in declared.input.shape
  return {
    ...(rest as object),
    ...(params as object),
    ...(takesKey ? { idempotency_key: key } : {}),
  }
}
