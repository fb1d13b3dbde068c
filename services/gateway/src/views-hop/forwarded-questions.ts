/** Sends on what views are asked on a gateway without views, behind authentication and rates. */
import type { Ledger } from '@svc/ledger/ledger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ViewAnswer, ViewServers } from './view-servers.ts'

/** Headers of the question on which the shape of the answer depends. */
const SENT_ON = ['accept', 'anthropic-version', 'user-agent'] as const
const SENT_BACK = [
  'content-type',
  'content-disposition',
  'content-security-policy',
  'retry-after',
  'x-should-retry',
] as const

/** Makes a hook `preHandler` that answers in the place of the handler. */
export function forwardedTo(
  servers: Pick<ViewServers, 'ask'>,
  ledger: Pick<Ledger, 'lastPosition'>,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const { caller } = request
    const answer = await servers.ask({
      method: request.method,
      path: request.raw.url ?? '/',
      caller,
      after: caller === null ? undefined : ledger.lastPosition(caller.accountId),
      headers: picked(request.headers, SENT_ON),
      signal: gone.signal,
    })
    return sendBack(answer, reply)
  }
}

function sendBack({ statusCode, headers, body }: ViewAnswer, reply: FastifyReply): FastifyReply {
  return reply.code(statusCode).headers(picked(headers, SENT_BACK)).send(body)
}

function picked(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of names) {
    const value = headers[name]
    if (typeof value === 'string') found[name] = value
  }
  return found
}
