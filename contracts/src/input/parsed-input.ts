/** Reads what a caller gave by its schema. */
import type { ZodError, z } from 'zod'
import { ServiceError } from '../errors.ts'
import { pathText, valueAt } from './field-path.ts'
import { issueWords, toldIssue } from './issue-words.ts'

/**
 * @throws {ServiceError} `missing_required_parameter` or `invalid_value`, which names the first
 *   field that is not there or cannot be used
 */
export function parsedInput<Output>(schema: z.ZodType<Output>, given: unknown): Output {
  const parsed = schema.safeParse(given, { error: issueWords })
  if (parsed.success) return parsed.data
  throw refusal(given, parsed.error)
}

/** A question as a web server hands it over: nobody has looked into its parts yet. */
interface GivenQuestion {
  readonly query: unknown
  readonly headers: { readonly 'content-length'?: string | undefined }
}

/** A request of any method, as it was handed over. */
interface GivenRequest extends GivenQuestion {
  readonly params: unknown
  readonly body: unknown
}

/**
 * Does the same as {@link parsedInput} for the query of a question, whose fields are given once
 * each.
 *
 * @throws {ServiceError} as {@link parsedInput}, and `invalid_request` for a question with a body
 */
export function parsedQuery<Output>(schema: z.ZodType<Output>, question: GivenQuestion): Output {
  return parsedInput(schema, queryOf(question))
}

/**
 * Collects what a request gives an operation: the fields of its path, and of its query or its body.
 *
 * @throws {ServiceError} `invalid_value`, which names a field of the query of a request whose
 *   fields are in its body: a `dry_run` that nobody reads moves money. `invalid_request` for a
 *   question with a body: whoever sent it gets what they did not ask for
 */
export function givenFields(
  { method }: { readonly method: string },
  request: GivenRequest,
): object {
  const { params, query, body } = request
  if (method === 'GET') return { ...queryOf(request), ...(params ?? {}) }
  const [misplaced] = Object.keys(query ?? {})
  if (misplaced === undefined) return { ...(body ?? {}), ...(params ?? {}) }
  const param = pathText([misplaced])
  const message = `${param}: belongs in the body: this request takes no query`
  throw new ServiceError('invalid_value', message, { param })
}

/**
 * Reads what a request gives an operation, as the operation's declaration says.
 *
 * @throws {ServiceError} as {@link parsedInput}
 */
export function parsedRequest<Output>(
  declaration: { readonly method: string; readonly input: z.ZodType<Output> },
  request: GivenRequest,
): Output {
  return parsedInput(declaration.input, givenFields(declaration, request))
}

/** A web server reads no body of a question, and lists what stands in a query several times. */
function queryOf({ query, headers }: GivenQuestion): object {
  if (Number(headers['content-length'] ?? 0) > 0) {
    const message = 'The fields of a GET belong in the query, and this one has a body.'
    throw new ServiceError('invalid_request', message)
  }
  const fields = (query ?? {}) as Readonly<Record<string, unknown>>
  const [name] = Object.entries(fields).find(([, value]) => Array.isArray(value)) ?? []
  if (name === undefined) return fields
  const param = pathText([name])
  throw new ServiceError('invalid_value', `${param}: may be given once only`, { param })
}

function refusal(given: unknown, error: ZodError): ServiceError {
  const { path, message, isRule } = toldIssue(error)
  if (path.length === 0) return new ServiceError('invalid_value', message)
  const param = pathText(path)
  if (!isRule && valueAt(given, path) === undefined) {
    return new ServiceError('missing_required_parameter', `${param}: is missing`, { param })
  }
  return new ServiceError('invalid_value', `${param}: ${message}`, { param })
}
