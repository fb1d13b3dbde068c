/** Reads the query of a request by its schema. */
import { ServiceError } from '@svc/contracts/errors'
import { parsedInput } from '@svc/contracts/parsed-input'
import type { z } from 'zod'

/**
 * @throws {ServiceError} `missing_required_parameter` or `invalid_value`, which names the first
 *   field that is not there or cannot be used
 */
export function readQuery<Output>(schema: z.ZodType<Output>, query: unknown): Output {
  const parsed = schema.safeParse(query)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const param = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined
  if (param === undefined) return parsedInput(schema, query)
  throw new ServiceError('invalid_value', `${param}: there is no such parameter`, { param })
}
