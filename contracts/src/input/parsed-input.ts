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

/**
 * Does the same for the query of a request, whose fields are given once each.
 *
 * @throws {ServiceError} as {@link parsedInput}
 */
export function parsedQuery<Output>(schema: z.ZodType<Output>, query: unknown): Output {
  return parsedInput(schema, givenOnce(query))
}

/** A request as a web server hands it over: nobody has looked into its parts yet. */
interface GivenRequest {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/**
 * Collects what a request gives an operation: the fields of its path, and of its query or its body.
 *
 * @throws {ServiceError} `invalid_value`, which names a field of the query of a request whose
 *   fields are in its body: a `dry_run` that nobody reads moves money
 */
export function givenFields(
  { method }: { readonly method: string },
  { params, query, body }: GivenRequest,
): object {
  if (method === 'GET') return { ...givenOnce(query), ...(params ?? {}) }
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

/** A web server makes a list of what stands in a query several times. */
function givenOnce(query: unknown): object {
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
