/** Reads the query of a request by its schema. */
import { ServiceError } from '@svc/contracts/errors'
import type { z } from 'zod'

/** @throws {ServiceError} `invalid_value` that names the first field which cannot be used */
export function readQuery<Schema extends z.ZodType>(
  schema: Schema,
  query: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(query)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined
  const param = unknown ?? issue?.path.join('.') ?? ''
  const what = unknown === undefined ? issue?.message : 'there is no such parameter'
  throw new ServiceError('invalid_value', `${param}: ${what}`, param === '' ? {} : { param })
}
