/** The operations of a running server, over its admin routes. */
import { ADMIN_PREFIX, type Declaration } from '@svc/contracts/admin/declaration'
import { idempotencyKey } from '@svc/contracts/admin/fields'
import { adminOperations, type Operations } from '@svc/contracts/admin/operations'
import { type ErrorCode, errorCatalogue, ServiceError } from '@svc/contracts/errors'
import { parsedInput } from '@svc/contracts/parsed-input'
import { z } from 'zod'
import { jsonLines } from './json-lines.ts'

/** Is thrown when no service answers at that address. Its message is one line for the operator. */
class UnreachableError extends Error {
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
/** Looked at before it is sent: a header that cannot be is no answer of the server. */
const onceInput = z.object({ idempotency_key: idempotencyKey.optional() })
const errorLine = errorBody.extend({ type: z.literal('error') })

/**
 * A client of every operation that is declared. A server that is older or newer than the
 * declarations answers what it answers: its shape is taken as is.
 */
export function createRemoteOperations(service: RemoteService): Operations {
  const client = Object.entries<Declaration>(adminOperations).map(([name, declared]) => [
    name,
    declared.answer === 'lines'
      ? (input?: object, signal?: AbortSignal) => lines(service, declared, input, signal)
      : (input?: object) => value(service, declared, input),
  ])
  return Object.fromEntries(client) as Operations
}

async function value(
  service: RemoteService,
  declared: Declaration,
  input: object = {},
): Promise<unknown> {
  const answer = await send(service, declared, input, service.signal)
  try {
    return await answer.json()
  } catch (cause) {
    throw service.signal.aborted ? cause : cutOff(service, cause)
  }
}

async function* lines(
  service: RemoteService,
  declared: Declaration,
  input: object = {},
  signal: AbortSignal = service.signal,
): AsyncGenerator<unknown> {
  const either = AbortSignal.any([signal, service.signal])
  try {
    const answer = await send(service, declared, input, either)
    if (answer.body === null) return
    for await (const line of linesOf(service, answer.body)) {
      const failure = errorLine.safeParse(line)
      if (failure.success) throw asServiceError(failure.data)
      yield line
    }
  } catch (error) {
    if (!either.aborted) throw error
  }
}

async function* linesOf(
  service: RemoteService,
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<unknown> {
  try {
    yield* jsonLines(body)
  } catch (cause) {
    throw cutOff(service, cause)
  }
}

/** The server was killed, or the connection was, after the answer had begun. */
function cutOff({ baseUrl }: RemoteService, cause: unknown): Error {
  const { origin } = new URL(baseUrl)
  return new UnreachableError(`the answer of ${origin} was cut off${why(cause)}`, { cause })
}

async function send(
  { baseUrl, operatorToken }: RemoteService,
  { method, path }: Declaration,
  input: object,
  signal: AbortSignal,
): Promise<Response> {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const filled = path.replace(/:(\w+)/g, (_, field: string) => {
    const value = String(rest.get(field))
    rest.delete(field)
    return segment(field, value)
  })
  const url = new URL(ADMIN_PREFIX + filled, baseUrl)
  const headers = new Headers({ authorization: `Bearer ${operatorToken}` })
  let body: string | null = null
  if (method === 'GET') {
    for (const [field, value] of rest) url.searchParams.set(field, String(value))
  } else {
    headers.set('content-type', 'application/json')
    const { idempotency_key: key } = parsedInput(onceInput, Object.fromEntries(rest))
    if (key !== undefined) headers.set('idempotency-key', key)
    rest.delete('idempotency_key')
    body = JSON.stringify(Object.fromEntries(rest))
  }
  const answer = await request(url, { method, headers, body, signal })
  if (!answer.ok) throw await refusalOf(answer)
  return answer
}

/**
 * A word as one part of a path. No encoding keeps `..` from naming the part before it, and so
 * another operation: a key of that name would be its account.
 */
function segment(field: string, value: string): string {
  if (value !== '.' && value !== '..') return encodeURIComponent(value)
  throw new ServiceError('not_found', `There is nothing named "${value}".`, { param: field })
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
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return ': it speaks no TLS, and http:// would send the token readable, fit for one machine alone'
  }
  return `${typeof code === 'string' ? ` (${code})` : ''}: check that it runs, and its address`
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
