/** Lets only callers with a valid key through, and notes who they are. */
import type { Caller, Ledger } from '@svc/ledger/ledger'
import type { FastifyRequest } from 'fastify'
import { authenticate } from '../authentication.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key came with the request; null before authentication and on open routes. */
    caller: Caller | null
  }
}

export type Authenticator = Pick<Ledger, 'authenticate'>

export function authenticated(ledger: Authenticator) {
  return async (request: FastifyRequest): Promise<void> => {
    request.caller = await authenticate(ledger, request.raw.headers)
  }
}

/** The caller on a route behind {@link authenticated}. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error(`${request.url} is not behind authentication`)
  return request.caller
}
