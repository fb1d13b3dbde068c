/** A part of the body, read by its own schema: which one depends on what stands in the part. */
import { ServiceError } from '@svc/contracts/errors'
import type { z } from 'zod'
import { fieldError, pathText } from '../field-error.ts'
import type { JsonObject } from '../inference-request.ts'

/** Where a part stands in the body: `['input', 2]`. */
export type FieldPath = readonly PropertyKey[]

/** @throws {ServiceError} with the name of the field as the caller wrote it */
export function parseField<Schema extends z.ZodType>(
  schema: Schema,
  body: JsonObject,
  path: FieldPath,
): z.output<Schema> {
  const parsed = schema.safeParse(fieldAt(body, path))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw fieldError(issue && { ...issue, path: [...path, ...issue.path] }, body)
}

export function fieldAt(body: JsonObject, path: FieldPath): unknown {
  return path.reduce<unknown>(
    (value, step) => (isObject(value) ? value[step as keyof typeof value] : undefined),
    body,
  )
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** The `type` of a part, or undefined when it has none. @throws {ServiceError} when it is no text */
export function typeAt(body: JsonObject, path: FieldPath): string | undefined {
  const part = fieldAt(body, path)
  if (!isObject(part) || Array.isArray(part)) {
    const param = pathText(path)
    throw new ServiceError('invalid_value', `${param} must be an object.`, { param })
  }
  const type = 'type' in part ? part.type : undefined
  if (type === undefined || type === null) return undefined
  if (typeof type === 'string' && type !== '') return type
  const param = pathText([...path, 'type'])
  throw new ServiceError('invalid_value', `${param} must be text.`, { param })
}
