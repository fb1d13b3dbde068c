/**
 * The fields of a body: found by their path, read by a schema, and named in errors as the caller
 * wrote them.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { JsonObject } from '@svc/contracts/strict-json'
import type { z } from 'zod'

/** A name that the caller chose, such as a key of `metadata`, is shown up to here in an error. */
const SHOWN_NAME_CHARACTERS = 64

/** The place of a part in the body: `['input', 2]`. */
export type FieldPath = readonly PropertyKey[]

/**
 * Reads a part of the body by its own schema: which one may depend on what stands in the part.
 *
 * @throws {ServiceError} with the name of the field as the caller wrote it
 */
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

/**
 * The `type` of a part, or undefined when it has none.
 *
 * @throws {ServiceError} when it is no text
 */
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

/** Refuses a missing field in the words of the OpenAI formats. */
export function missingParameter(param: string): ServiceError {
  const message = `Missing required parameter: '${param}'.`
  return new ServiceError('missing_required_parameter', message, { param })
}

/** Tells the caller the first thing that a schema found wrong. */
export function fieldError(issue: z.core.$ZodIssue | undefined, body: JsonObject): ServiceError {
  if (issue === undefined) return new ServiceError('invalid_value', 'The body is not valid.')
  const nested = tellingUnionIssue(issue)
  const path = [...issue.path, ...(nested?.path ?? [])]
  const param = pathText(path)
  if (path.length > 0 && fieldAt(body, path) === undefined) {
    return missingParameter(param)
  }
  const what = (nested ?? issue).message.replace(/^Invalid input: /, '')
  return new ServiceError('invalid_value', `Invalid value for '${param}': ${what}.`, { param })
}

/**
 * Finds the issue that says what is really wrong: that of the union's alternative which got
 * furthest, and of those that got nowhere, one whose type it was.
 */
function tellingUnionIssue(
  issue: z.core.$ZodIssue,
): Pick<z.core.$ZodIssue, 'path' | 'message'> | undefined {
  if (issue.code !== 'invalid_union') return undefined
  const alternatives = issue.errors.flatMap((issues) => issues.slice(0, 1))
  const [furthest] = alternatives.toSorted((a, b) => b.path.length - a.path.length)
  if (furthest === undefined || furthest.path.length > 0) return furthest
  const types = alternatives.flatMap((each) => (each.code === 'invalid_type' ? each.expected : []))
  const ofItsType = alternatives.find(({ code }) => code !== 'invalid_type')
  return ofItsType ?? { path: [], message: `expected ${types.join(' or ')}` }
}

/** Writes `['messages', 0, 'content']` as `messages[0].content`. */
export function pathText(path: FieldPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return text === '' ? shownName(step) : `${text}.${shownName(step)}`
  }, '')
}

function shownName(step: PropertyKey): string {
  const name = String(step)
  if (name.length <= SHOWN_NAME_CHARACTERS) return name
  // A character that is cut in half would break clients that print the error.
  return `${name.slice(0, SHOWN_NAME_CHARACTERS).toWellFormed()}…`
}

/** @returns undefined where there is no such field */
export function fieldAt(body: JsonObject, path: FieldPath): unknown {
  return path.reduce<unknown>(
    (value, step) => (isObject(value) ? value[step as string] : undefined),
    body,
  )
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null
}
