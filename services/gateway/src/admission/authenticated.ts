/** Lets only callers with a valid key through, and notes who they are. */
import type { Caller } from '@svc/ledger/ledger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Callers } from './callers.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key came with the request; null before authentication and on open routes. */
    caller: Caller | null
  }
}

export function authenticated(callers: Pick<Callers, 'identify'>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.caller = await callers.identify(request, reply)
  }
}

/** The caller on a route behind {@link authenticated}. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error(`${request.url} is not behind authentication`)
  return request.caller
}
