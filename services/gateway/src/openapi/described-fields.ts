/** Puts what fields mean into JSON Schemas that do not say it themselves. */
import { operatorWords } from './operator-words.ts'
import { wireWords } from './wire-words.ts'

interface Schema {
  readonly description?: string
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly [keyword: string]: unknown
}

/** Keywords that hold schemas of the same thing, in other shapes. */
const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'] as const

/**
 * @param field its name
 * @param object in which it stands: the name of a field or of a schema
 * @returns undefined for a field that no catalogue tells of
 */
export function meaningOf(field: string, object: string): string | undefined {
  return wireWords[`${object}.${field}`] ?? wireWords[field] ?? operatorWords[field]
}

/** @param object what the schema is of: the name of a field, of a schema, or of a route */
export function withMeanings<Json extends object>(schema: Json, object: string): Json {
  return described(schema as Schema, object) as Json
}

function described(schema: Schema, object: string): Schema {
  const { properties, items, additionalProperties } = schema
  const alternatives = ALTERNATIVES.flatMap((keyword) => {
    const each = schema[keyword]
    return Array.isArray(each)
      ? [[keyword, each.map((one: Schema) => described(one, object))] as const]
      : []
  })
  return {
    ...schema,
    ...Object.fromEntries(alternatives),
    ...(isSchema(items) ? { items: described(items, object) } : {}),
    ...(isSchema(additionalProperties)
      ? { additionalProperties: described(additionalProperties, object) }
      : {}),
    ...(properties === undefined ? {} : { properties: describedFields(properties, object) }),
  }
}

function describedFields(
  properties: Readonly<Record<string, Schema>>,
  object: string,
): Readonly<Record<string, Schema>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const inside = described(field, name)
      const meaning = meaningOf(name, object)
      const isSaid = field.description !== undefined || field.const !== undefined
      return [name, isSaid || meaning === undefined ? inside : { ...inside, description: meaning }]
    }),
  )
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
