/** The operations of a running server, over its admin routes. */

import {
  ADMIN_PREFIX,
  type AdminOperation,
  type AdminRoute,
  adminApi,
} from '@svc/contracts/admin/admin-api'
import type { Operations } from '@svc/contracts/admin/operations'
import { type ErrorCode, errorCatalogue, ServiceError } from '@svc/contracts/errors'
import { z } from 'zod'
import { jsonLines } from './json-lines.ts'

/** There is no service at that address. Its message is one line for the operator. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
}

export interface RemoteService {
  readonly baseUrl: string
  readonly operatorToken: string
  readonly signal: AbortSignal
}

const errorBody = z.object({
  error: z.object({ message: z.string(), code: z.string(), param: z.string().nullish() }),
})
const errorLine = errorBody.extend({ type: z.literal('error') })

/**
 * A server that is older or newer than this table answers what it answers: its shape is taken as
 * is.
 */
export function createRemoteOperations(service: RemoteService): Operations {
  const ask = async <T>(name: AdminOperation, input: object = {}): Promise<T> => {
    const answer = await send(service, name, input, service.signal)
    return (await answer.json()) as T
  }
  return {
    status: () => ask('status'),
    openAccount: (input) => ask('openAccount', input),
    listAccounts: (page) => ask('listAccounts', page),
    showAccount: (accountId) => ask('showAccount', { accountId }),
    grant: (input) => ask('grant', input),
    createKey: (input) => ask('createKey', input),
    listKeys: (accountId) => ask('listKeys', { accountId }),
    revokeKey: (input) => ask('revokeKey', input),
    publishPrice: (input) => ask('publishPrice', input),
    listPrices: () => ask('listPrices'),
    statement: (query) => ask('statement', query),
    explain: (requestId) => ask('explain', { requestId }),
    verify: (input) => lines(service, 'verify', input, service.signal),
    listProjections: () => ask('listProjections'),
    rebuildProjection: (name) => lines(service, 'rebuildProjection', { name }, service.signal),
    listWorkers: () => ask('listWorkers'),
    drainWorker: (input) => ask('drainWorker', input),
    addWorker: (input) => ask('addWorker', input),
    removeWorker: (workerId) => ask('removeWorker', { workerId }),
    auditCache: (input) => lines(service, 'auditCache', input, service.signal),
    listEvents: (query) => ask('listEvents', query),
    tailEvents: (query, signal) => lines(service, 'tailEvents', query, signal),
  }
}

async function* lines<T>(
  service: RemoteService,
  name: AdminOperation,
  input: object,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const either = AbortSignal.any([signal, service.signal])
  try {
    const answer = await send(service, name, input, either)
    if (answer.body === null) return
    for await (const line of jsonLines(answer.body)) {
      const failure = errorLine.safeParse(line)
      if (failure.success) throw asServiceError(failure.data)
      yield line as T
    }
  } catch (error) {
    if (!either.aborted) throw error
  }
}

async function send(
  { baseUrl, operatorToken }: RemoteService,
  name: AdminOperation,
  input: object,
  signal: AbortSignal,
): Promise<Response> {
  const { method, path }: AdminRoute = adminApi[name]
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const filled = path.replace(/:(\w+)/g, (_, field: string) => {
    const value = String(rest.get(field))
    rest.delete(field)
    return encodeURIComponent(value)
  })
  const url = new URL(ADMIN_PREFIX + filled, baseUrl)
  const headers = new Headers({ authorization: `Bearer ${operatorToken}` })
  let body: string | null = null
  if (method === 'GET') {
    for (const [field, value] of rest) url.searchParams.set(field, String(value))
  } else {
    headers.set('content-type', 'application/json')
    body = JSON.stringify(Object.fromEntries(rest))
  }
  const answer = await request(url, { method, headers, body, signal })
  if (!answer.ok) throw await refusalOf(answer)
  return answer
}

async function request(url: URL, init: RequestInit & { signal: AbortSignal }): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (cause) {
    if (init.signal.aborted) throw cause
    throw new UnreachableError(`cannot reach the service at ${url.origin}${why(cause)}`)
  }
}

function why(cause: unknown): string {
  const inner = cause instanceof Error ? cause.cause : undefined
  const code = inner instanceof Error && 'code' in inner ? inner.code : undefined
  return typeof code === 'string' ? ` (${code})` : ''
}

async function refusalOf(answer: Response): Promise<Error> {
  const body = errorBody.safeParse(await answer.json().catch(() => undefined))
  if (body.success) return asServiceError(body.data)
  return new UnreachableError(
    `${new URL(answer.url).origin} answers ${answer.status}, but not as svc does`,
  )
}

function asServiceError({ error }: z.output<typeof errorBody>): ServiceError {
  const code = error.code in errorCatalogue ? (error.code as ErrorCode) : 'internal_error'
  return new ServiceError(code, error.message, error.param ? { param: error.param } : {})
}
