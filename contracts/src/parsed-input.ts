/** Reads what a caller gave by its schema. */
import type { ZodError, z } from 'zod'
import { ServiceError } from './errors.ts'

/** @throws {ServiceError} `invalid_value` that names the first field which cannot be used */
export function parsedInput<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw invalidValue(parsed.error)
}

function invalidValue({ issues: [issue] }: ZodError): ServiceError {
  const param = issue?.path.join('.') ?? ''
  const message = `${param === '' ? '' : `${param}: `}${issue?.message ?? 'cannot be used'}`
  return new ServiceError('invalid_value', message, param === '' ? {} : { param })
}
