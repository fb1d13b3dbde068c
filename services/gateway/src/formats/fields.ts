/**
 * The fields of a body: found by their path, read by a schema, and named in errors as the caller
 * wrote them.
 */
import { ServiceError } from '@svc/contracts/errors'
import { type FieldPath, pathText, valueAt } from '@svc/contracts/field-path'
import { issueWords, toldIssue } from '@svc/contracts/issue-words'
import type { JsonObject } from '@svc/contracts/strict-json'
import type { z } from 'zod'

/**
 * Reads a part of the body by its own schema, which may depend on what stands in the part; at the
 * empty path, all of it.
 *
 * @throws {ServiceError} with the name of the field as the caller wrote it
 */
export function parseField<Schema extends z.ZodType>(
  schema: Schema,
  body: JsonObject,
  path: FieldPath,
): z.output<Schema> {
  return parsePart(schema, valueAt(body, path), pathText(path))
}

/**
 * Reads a part by its schema.
 *
 * @param path where the part stands, for error messages: `messages[0].content`
 * @throws {ServiceError} with the name of the field
 */
export function parsePart<Schema extends z.ZodType>(
  schema: Schema,
  part: unknown,
  path: string,
): z.output<Schema> {
  const parsed = schema.safeParse(part, { error: issueWords })
  if (parsed.success) return parsed.data
  throw fieldError(parsed.error, part, path)
}

/**
 * The `type` of a part, or undefined when it has none.
 *
 * @throws {ServiceError} when it is no text
 */
export function typeAt(body: JsonObject, path: FieldPath): string | undefined {
  const part = valueAt(body, path)
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

/** Refuses a missing field. */
export function missingParameter(param: string): ServiceError {
  const message = `Missing required parameter: '${param}'.`
  return new ServiceError('missing_required_parameter', message, { param })
}

/** Tells the caller the first thing that a schema found wrong with the part at a path. */
function fieldError(error: z.ZodError, part: unknown, at: string): ServiceError {
  const issue = toldIssue(error)
  const inside = pathText(issue.path)
  const param =
    at === '' || inside === '' || inside.startsWith('[') ? at + inside : `${at}.${inside}`
  if (param === '') return new ServiceError('invalid_value', 'The body is not valid.')
  if (!issue.isRule && valueAt(part, issue.path) === undefined) return missingParameter(param)
  const message = `Invalid value for '${param}': ${issue.message}.`
  return new ServiceError('invalid_value', message, { param })
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null
}
