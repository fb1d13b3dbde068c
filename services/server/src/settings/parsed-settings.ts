/** Settings read by their schema, and what is said of one that cannot be used. */
import { issueWords } from '@svc/contracts/issue-words'
import type { z } from 'zod'
import { closestName } from './closest-name.ts'

/** A setting that cannot be used. Its message is one line that says what to do. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/** @throws {SettingsError} that names the setting and never a text in it: that can be a secret */
export function parsedBy<Output>(schema: z.ZodType<Output>, given: object): Output {
  const parsed = schema.safeParse(given, { error: issueWords })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const problem = issue?.message ?? 'cannot be used'
  throw new SettingsError(`${issue?.path.join('.')}: ${problem}${hintOf(issue, given)}`)
}

/** A word that was almost one of the choices. */
function hintOf(issue: z.core.$ZodIssue | undefined, given: object): string {
  if (issue?.code !== 'invalid_value') return ''
  const word = String(Reflect.get(given, String(issue.path[0]))).toLowerCase()
  const meant = closestName(word, issue.values.map(String))
  return meant === undefined ? '' : `; did you mean ${meant}?`
}
