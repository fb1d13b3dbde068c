/**
 * The operator's routes, mounted under `/admin/v1`: every operation that is declared, behind one
 * token. Whoever mounts them reads JSON bodies, and answers with the `ServiceError`s they throw.
 */
import { Readable } from 'node:stream'
import { type Caller, rootCaller } from '@svc/contracts/admin/caller'
import type { Declaration } from '@svc/contracts/admin/declaration'
import {
  adminOperations,
  type OperationName,
  type Operations,
} from '@svc/contracts/admin/operations'
import { ownDefect, ServiceError } from '@svc/contracts/errors'
import { bearsSecret } from '@svc/infra/system/bearer'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { METRICS_CONTENT_TYPE, type Metrics } from '../metrics/metrics.ts'
import { parsedInput } from '../operations/parsed-input.ts'
import { withHeartbeat } from './heartbeat.ts'
import { noncePattern, PROOF_PATH, serverProof } from './server-proof.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered without the operator's token. */
    readonly isOpen?: boolean
  }
}

/** Interval of the blank lines by which both ends of a quiet stream notice a dead peer. */
const STREAM_HEARTBEAT_MS = 10_000

const identityQuery = z.object({ nonce: z.string().regex(noncePattern) })

export interface AdminRoutes {
  readonly operationsOf: (caller: Caller) => Operations
  readonly operatorToken: string
  /** Where these routes listen, as the record says that the CLI finds the server by. */
  readonly address?: () => string
  /** Without them `/metrics` is a path that is not there. */
  readonly metrics?: Pick<Metrics, 'text'>
}

/** What the table promises of every handler, and the compiler has checked of each. */
type Handler = (given: unknown, signal: AbortSignal) => Promise<unknown> | AsyncIterable<object>

export function adminRoutes({
  operationsOf,
  operatorToken,
  address,
  metrics,
}: AdminRoutes): FastifyPluginAsync {
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
        const { nonce } = parsedInput(identityQuery, query)
        return { proof: serverProof(operatorToken, address(), nonce) }
      })
    }
    for (const name of Object.keys(adminOperations) as OperationName[]) {
      const declared: Declaration = adminOperations[name]
      app.route({
        method: declared.method,
        url: declared.path,
        handler(request, reply) {
          const handler = operationsOf(rootCaller)[name] as Handler
          return answer(declared, handler, request, reply)
        },
      })
    }
  }
}

function authorize({ headers }: FastifyRequest, operatorToken: string): void {
  if (bearsSecret(headers.authorization, operatorToken)) return
  throw new ServiceError('invalid_api_key', 'The operator token is missing or wrong.')
}

async function answer(
  declared: Declaration,
  handler: Handler,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const input = givenIn(declared, request)
  const gone = new AbortController()
  if (declared.answer === 'json') return handler(input, gone.signal)
  reply.raw.on('close', () => gone.abort())
  const lines = handler(input, gone.signal) as AsyncIterable<object>
  return reply.type('application/x-ndjson').send(await asLines(lines, gone.signal))
}

/** Not parsed yet: that is the first thing that the operations do. */
function givenIn(declared: Declaration, { params, query, body }: FastifyRequest): object {
  const rest = declared.method === 'GET' ? query : (body ?? {})
  return { ...(rest as object), ...(params as object) }
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
