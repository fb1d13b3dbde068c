/** Reads what a caller gave by its schema. */
import type { ZodError, z } from 'zod'
import { ServiceError } from './errors.ts'

/**
 * @throws {ServiceError} `missing_required_parameter` or `invalid_value`, which names the first
 *   field that is not there or cannot be used
 */
export function parsedInput<Output>(schema: z.ZodType<Output>, given: unknown): Output {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw refusal(given, parsed.error)
}

/** A request as a web server hands it over: nobody has looked into its parts yet. */
interface GivenRequest {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/**
 * Collects what a request gives an operation: the fields of its path, and of its query or its body.
 */
export function givenFields(
  { method }: { readonly method: string },
  { params, query, body }: GivenRequest,
): object {
  const rest = method === 'GET' ? query : body
  return { ...(rest ?? {}), ...(params ?? {}) }
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

function refusal(given: unknown, { issues: [issue] }: ZodError): ServiceError {
  const path = issue?.path ?? []
  if (issue === undefined || path.length === 0) {
    return new ServiceError('invalid_value', issue?.message ?? 'cannot be used')
  }
  const param = path.join('.')
  // A rule about several fields says by itself which of them it wants.
  if (issue.code !== 'custom' && isAbsent(given, path)) {
    return new ServiceError('missing_required_parameter', `${param}: is missing`, { param })
  }
  // Words in a query are read as numbers: nobody has sent the value NaN.
  const what = issue.message.endsWith('received NaN') ? 'must be a number' : issue.message
  return new ServiceError('invalid_value', `${param}: ${what}`, { param })
}

function isAbsent(given: unknown, path: readonly PropertyKey[]): boolean {
  const found = path.reduce<unknown>(
    (value, name) => (value as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[name],
    given,
  )
  return found === undefined
}
