/** What a schema found wrong with a body, as the one error that the caller is told. */
import { ServiceError } from '@svc/contracts/errors'
import type { z } from 'zod'
import type { JsonObject } from './inference-request.ts'

type Issue = z.core.$ZodIssue

/** The first issue, with the name of the field as the caller wrote it: `messages[0].content`. */
export function fieldError(issue: Issue | undefined, body: JsonObject): ServiceError {
  if (issue === undefined) return new ServiceError('invalid_value', 'The body is not valid.')
  const nested = deepestUnionIssue(issue)
  const path = [...issue.path, ...(nested?.path ?? [])]
  const param = pathText(path)
  if (path.length > 0 && valueAt(body, path) === undefined) {
    const message = `Missing required parameter: '${param}'.`
    return new ServiceError('missing_required_parameter', message, { param })
  }
  const what = (nested ?? issue).message.replace(/^Invalid input: /, '')
  return new ServiceError('invalid_value', `Invalid value for '${param}': ${what}.`, { param })
}

/** Of a union's alternatives, the one that got furthest says what is really wrong. */
function deepestUnionIssue(issue: Issue): Issue | undefined {
  if (issue.code !== 'invalid_union') return undefined
  const alternatives = issue.errors.flatMap((issues) => issues.slice(0, 1))
  return alternatives.sort((a, b) => b.path.length - a.path.length).find((a) => a.path.length > 0)
}

/** `['messages', 0, 'content']` as `messages[0].content`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return text === '' ? String(step) : `${text}.${String(step)}`
  }, '')
}

function valueAt(body: JsonObject, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null
        ? (value as Record<PropertyKey, unknown>)[step]
        : undefined,
    body,
  )
}
