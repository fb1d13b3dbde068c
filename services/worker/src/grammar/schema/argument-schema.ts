/**
 * The grammar of a tool's arguments: always an object, and an empty one where the tool takes
 * nothing. Otherwise a model fills an object that may hold anything with names that it makes up.
 */
import type { ToolDefinition } from '@svc/contracts/worker/protocol'
import type { GrammarRules } from '../gbnf/gbnf.ts'
import { Work } from '../gbnf/work.ts'
import { addAnyObject, addAnyValue, addSchema } from './json-schema.ts'
import { enforcedKeywords, refusedKeywords } from './keywords.ts'
import type { SchemaOptions } from './schema-document.ts'

type Parameters = ToolDefinition['parameters']
type SchemaBounds = Pick<SchemaOptions, 'limits' | 'work'>

const NO_ARGUMENTS: Parameters = { type: 'object', additionalProperties: false }

/** Keywords by which a schema can let in or demand a member of an object. */
const memberKeywords = [...enforcedKeywords, ...refusedKeywords.map(({ name }) => name)]

/**
 * A schema that leaves nothing valid gives an object too: the compiler takes any value for it.
 *
 * @returns the name of the rule
 * @throws UnsupportedSchema when the schema is larger than a grammar may be
 */
export function addArguments(
  rules: GrammarRules,
  parameters: Parameters,
  bounds: SchemaBounds,
): string {
  const schema = takesNothing(parameters) ? NO_ARGUMENTS : { ...parameters, type: 'object' }
  const rule = addSchema(rules, schema, { unsupported: 'strip', ...bounds })
  return rule === addAnyValue(rules) ? addAnyObject(rules) : rule
}

/**
 * Does what {@link addArguments} does for a schema that is too large: it allows any object, unless
 * the schema takes nothing.
 */
export function addUncheckedArguments(rules: GrammarRules, parameters: Parameters): string {
  if (!takesNothing(parameters)) return addAnyObject(rules)
  // Others may have used up the steps of the request: this takes none to speak of.
  return addArguments(rules, parameters, { work: new Work() })
}

/**
 * Whether a tool's schema names no parameter: JSON Schema allows any object then, and whoever wrote
 * it meant none. A tool that takes free names says so with `additionalProperties`.
 */
function takesNothing(parameters: Parameters): boolean {
  return Object.entries(parameters).every(
    ([keyword, value]) => !memberKeywords.includes(keyword) || isIdle(keyword, value),
  )
}

function isIdle(keyword: string, value: unknown): boolean {
  switch (keyword) {
    case 'type':
      return true
    case 'additionalProperties':
      return value === false
    case 'properties':
    case 'required':
      return typeof value === 'object' && value !== null && Object.keys(value).length === 0
    default:
      return false
  }
}
