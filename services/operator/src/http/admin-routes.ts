/**
 * The operator's routes, mounted under `/admin/v1`: every operation of the table, behind one
 * token. Whoever mounts them reads JSON bodies, and answers with the `ServiceError`s they throw.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  type AdminInput,
  type AdminOperation,
  type AdminRoute,
  adminApi,
  STREAM_HEARTBEAT_MS,
} from '@svc/contracts/admin/admin-api'
import type { Operations } from '@svc/contracts/admin/operations'
import { ServiceError } from '@svc/contracts/errors'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type ZodError, z } from 'zod'
import { METRICS_CONTENT_TYPE, type Metrics } from '../metrics/metrics.ts'
import { withHeartbeat } from './heartbeat.ts'
import { noncePattern, PROOF_PATH, serverProof } from './server-proof.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered without the operator's token. */
    readonly isOpen?: boolean
  }
}

const identityQuery = z.object({ nonce: z.string().regex(noncePattern) })

export interface AdminRoutes {
  readonly operations: Operations
  readonly operatorToken: string
  /** Where these routes listen, as the record says that the CLI finds the server by. */
  readonly address?: () => string
  /** Without them `/metrics` is a path that is not there. */
  readonly metrics?: Pick<Metrics, 'text'>
}

type Handlers = {
  [Name in AdminOperation]: (input: AdminInput<Name>, signal: AbortSignal) => unknown
}

export function adminRoutes({
  operations,
  operatorToken,
  address,
  metrics,
}: AdminRoutes): FastifyPluginAsync {
  const handlers = handlersOf(operations)
  return async (app: FastifyInstance) => {
    app.addHook('onRequest', async (request) => {
      if (request.routeOptions.config.isOpen !== true) authorize(request, operatorToken)
    })
    if (metrics !== undefined) {
      app.get('/metrics', (_request, reply) => {
        reply.type(METRICS_CONTENT_TYPE)
        return metrics.text()
      })
    }
    if (address !== undefined) {
      app.get(PROOF_PATH, { config: { isOpen: true } }, ({ query }) => {
        const read = identityQuery.safeParse(query)
        if (!read.success) throw badInput(read.error)
        return { proof: serverProof(operatorToken, address(), read.data.nonce) }
      })
    }
    for (const name of Object.keys(adminApi) as AdminOperation[]) {
      const route: AdminRoute = adminApi[name]
      const handler = handlers[name] as (input: unknown, signal: AbortSignal) => unknown
      app.route({
        method: route.method,
        url: route.path,
        handler: (request, reply) => answer(route, handler, request, reply),
      })
    }
  }
}

function handlersOf(operations: Operations): Handlers {
  return {
    status: () => operations.status(),
    openAccount: (input) => operations.openAccount(input),
    listAccounts: ({ after, limit }) =>
      operations.listAccounts({ limit, ...(after === undefined ? {} : { after }) }),
    showAccount: ({ accountId }) => operations.showAccount(accountId),
    grant: (input) => operations.grant(input),
    createKey: (input) => operations.createKey(input),
    listKeys: ({ accountId }) => operations.listKeys(accountId),
    revokeKey: (input) => operations.revokeKey(input),
    publishPrice: (input) => operations.publishPrice(input),
    listPrices: () => operations.listPrices(),
    statement: (input) => operations.statement(defined(input)),
    explain: ({ requestId }) => operations.explain(requestId),
    verify: (input) => operations.verify(defined(input)),
    listProjections: () => operations.listProjections(),
    rebuildProjection: ({ name }) => operations.rebuildProjection(name),
    listWorkers: () => operations.listWorkers(),
    drainWorker: (input) => operations.drainWorker(input),
    addWorker: (input) => operations.addWorker(input),
    removeWorker: ({ workerId }) => operations.removeWorker(workerId),
    auditCache: (input) => operations.auditCache(input),
    listEvents: (input) => operations.listEvents(defined(input)),
    tailEvents: (input, signal) => operations.tailEvents(defined(input), signal),
  }
}

/** Without the keys whose value is undefined. */
function defined<T extends object>(input: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(input).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> }
}

/** Hashes have one length, so the comparison takes one time, whatever was sent. */
function authorize({ headers }: FastifyRequest, operatorToken: string): void {
  const sent = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  if (timingSafeEqual(digest(sent), digest(operatorToken))) return
  throw new ServiceError('invalid_api_key', 'The operator token is missing or wrong.')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

async function answer(
  route: AdminRoute,
  handler: (input: unknown, signal: AbortSignal) => unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const input = readInput(route, request)
  const gone = new AbortController()
  if (route.answer === 'json') return handler(input, gone.signal)
  reply.raw.on('close', () => gone.abort())
  const lines = handler(input, gone.signal) as AsyncIterable<object>
  return reply.type('application/x-ndjson').send(await asLines(lines, gone.signal))
}

function readInput(route: AdminRoute, { params, query, body }: FastifyRequest): unknown {
  const rest = route.method === 'GET' ? query : (body ?? {})
  const parsed = route.input.safeParse({ ...(rest as object), ...(params as object) })
  if (parsed.success) return parsed.data
  throw badInput(parsed.error)
}

function badInput({ issues: [issue] }: ZodError): ServiceError {
  const param = issue?.path.join('.') ?? ''
  const message = `${param === '' ? '' : `${param}: `}${issue?.message ?? 'cannot be used'}`
  return new ServiceError('invalid_value', message, param === '' ? {} : { param })
}

function ownDefect(cause: unknown): ServiceError {
  return new ServiceError('internal_error', 'Something went wrong on our side.', { cause })
}

/**
 * The first value is awaited before the answer begins, or the first heartbeat: so most refusals
 * still get their status. One that comes later is the last line of the stream.
 */
async function asLines(lines: AsyncIterable<object>, signal: AbortSignal): Promise<Readable> {
  const iterator = withHeartbeat(lines, STREAM_HEARTBEAT_MS)
  const opening = await iterator.next()
  async function* text(): AsyncGenerator<string> {
    try {
      for (let next = opening; next.done !== true; next = await iterator.next()) {
        yield next.value === 'heartbeat' ? '\n' : `${JSON.stringify(next.value)}\n`
      }
    } catch (cause) {
      if (signal.aborted) return
      const { code, message } = cause instanceof ServiceError ? cause : ownDefect(cause)
      yield `${JSON.stringify({ type: 'error', error: { code, message } })}\n`
    } finally {
      await iterator.return(undefined)
    }
  }
  return Readable.from(text())
}
