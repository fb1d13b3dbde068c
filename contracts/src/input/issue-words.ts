/**
 * What is said of a field that cannot be used, in the same plain words wherever it was sent: what
 * the field may hold, and the number, the length or the type that it has. A text itself is not
 * repeated: it may be long, or a secret.
 */
import type { z } from 'zod'

const UNUSABLE = 'cannot be used'

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/**
 * Gives an issue its message, where its schema has no words of its own for it:
 *
 *     schema.safeParse(given, { error: issueWords })
 */
export const issueWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.expected === 'int' && typeof issue.input === 'number') {
        return `must be a whole number, and is ${issue.input}`
      }
      return `must be ${typeWord(issue.expected)}${otherThan(issue.input)}`
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}`
    case 'too_big':
      return boundWords(issue, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)
    case 'too_small':
      return boundWords(issue, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)
    case 'invalid_format':
      return issue.pattern === undefined ? UNUSABLE : `must match ${issue.pattern}`
    case 'invalid_key':
      return `its name ${issue.issues[0]?.message ?? UNUSABLE}`
    case 'invalid_union':
      return Array.isArray(issue.options) ? `must be ${oneOf(issue.options)}` : UNUSABLE
    case 'unrecognized_keys':
      return 'there is no such parameter'
    default:
      return UNUSABLE
  }
}

/** What is wrong with one field. */
export interface ToldIssue {
  /** The place of the field in what was given; empty for all of it. */
  readonly path: readonly PropertyKey[]
  readonly message: string
  /** The message says by itself which fields it is about. */
  readonly isRule: boolean
}

/** Tells the first thing that a schema found wrong. */
export function toldIssue({ issues }: Pick<z.ZodError, 'issues'>): ToldIssue {
  // A number too large to be exact is told the bound of its field, where it has one.
  const issue = issues.find((each) => !isBoundOfNumbers(each)) ?? issues[0]
  if (issue === undefined) return { path: [], message: UNUSABLE, isRule: true }
  const { path, message } = issue
  if (issue.code === 'unrecognized_keys') {
    return { path: [...path, ...issue.keys.slice(0, 1)], message, isRule: true }
  }
  if (issue.code === 'invalid_union' && message === UNUSABLE) {
    const told = tellingAlternative(issue)
    return { ...told, path: [...path, ...told.path] }
  }
  return { path, message, isRule: issue.code === 'custom' }
}

function isBoundOfNumbers(issue: z.core.$ZodIssue): boolean {
  if (issue.code === 'too_big') return issue.maximum === Number.MAX_SAFE_INTEGER
  return issue.code === 'too_small' && issue.minimum === Number.MIN_SAFE_INTEGER
}

/**
 * Tells what is really wrong: the issue of the union's alternative which got furthest, and of those
 * that got nowhere, one whose type it was.
 */
function tellingAlternative({ errors }: z.core.$ZodIssueInvalidUnion): ToldIssue {
  const alternatives = errors.map((issues) => {
    return { ...toldIssue({ issues }), wanted: wantedBy(issues[0]) }
  })
  const [furthest] = alternatives.toSorted((a, b) => b.path.length - a.path.length)
  if (furthest !== undefined && furthest.path.length > 0) return furthest
  const ofItsType = alternatives.find(({ wanted }) => wanted.length === 0)
  if (ofItsType !== undefined) return ofItsType
  const wanted = alternatives.flatMap((each) => each.wanted)
  return { path: [], message: `must be ${wanted.join(' or ')}`, isRule: false }
}

/** What an issue wants instead of a type or a value; nothing where it is about something else. */
function wantedBy(issue: z.core.$ZodIssue | undefined): readonly string[] {
  if (issue?.code === 'invalid_type') return [typeWord(issue.expected)]
  if (issue?.code === 'invalid_value') return [oneOf(issue.values)]
  if (issue?.code !== 'invalid_union') return []
  return issue.errors.flatMap(([first]) => wantedBy(first))
}

function oneOf(values: readonly unknown[]): string {
  return values.length === 1 ? `${values[0]}` : `one of ${values.join(', ')}`
}

function boundWords(
  { origin, input }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall>,
  side: string,
  bound: number | bigint,
): string {
  const [one, more] = origin === 'string' ? ['character', 'characters'] : ['entry', 'entries']
  if (typeof input === 'string' || Array.isArray(input)) {
    if (input.length === 0 && side === 'at least') return 'must not be empty'
    return `must have ${side} ${bound} ${bound === 1 ? one : more}, and has ${input.length}`
  }
  return `must be ${side} ${bound}, and is ${input}`
}

/** Says what was given instead. Words in a query are read as numbers: nobody has sent a NaN. */
function otherThan(input: unknown): string {
  if (input === undefined || Number.isNaN(input)) return ''
  if (typeof input === 'number' && !Number.isFinite(input)) return ', and is too large'
  return `, not ${typeWord(typeOf(input))}`
}

function typeOf(input: unknown): string {
  if (input === null) return 'null'
  return Array.isArray(input) ? 'array' : typeof input
}

function typeWord(type: string): string {
  return typeWords[type] ?? type
}
