/** Reads what a caller gave by its schema. */
import type { ZodError, z } from 'zod'
import { ServiceError } from './errors.ts'

/**
 * @throws {ServiceError} `missing_required_parameter` or `invalid_value`, which names the first
 *   field that is not there or cannot be used
 */
export function parsedInput<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw refusal(given, parsed.error)
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
  // Of words in a query, which are read as numbers: nobody has sent the value NaN.
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
