/**
 * Tool definitions as chat templates take them: in OpenAI's shape, with a placeholder for every
 * text and every name that the client chose. Only the words of JSON Schema itself are shown as they
 * are, because templates look for them (`type == "object"`).
 */
import { ExactNumber } from '@svc/contracts/exact-number'
import type { ToolDefinition } from '@svc/contracts/worker/protocol'
import { type Slots, TemplateRefusal } from './slots.ts'

/** Deeper schemas and arguments are refused. */
const DEPTH_MAX = 64

const typeNames = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])

/** Keywords whose values are schemas, alone, in a list, or in an object under names of any kind. */
const schemaKeywords = new Set(
  [
    ['items', 'prefixItems', 'additionalItems', 'contains', 'unevaluatedItems'],
    ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else'],
    ['additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ].flat(),
)
const namedSchemaKeywords = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'],
])
const otherKeywords = new Set(
  [
    ['type', 'description', 'title', 'default', 'examples', 'enum', 'const', 'nullable'],
    ['required', 'dependentRequired', 'minProperties', 'maxProperties'],
    ['minItems', 'maxItems', 'uniqueItems', 'minContains', 'maxContains'],
    ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
    ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'],
    ['deprecated', 'readOnly', 'writeOnly', '$ref', '$schema', '$id', '$comment', '$anchor'],
  ].flat(),
)

/** @throws TemplateRefusal when a schema is nested too deeply */
export function templateTools(tools: readonly ToolDefinition[], slots: Slots): unknown[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: {
      name: slots.text(name, `the tool ${name}`),
      description: slots.text(description ?? '', null),
      parameters: schemaOf(parameters, slots, 0),
    },
  }))
}

/** JSON data with a placeholder for every string and every key. */
function templateData(value: unknown, slots: Slots, depth: number): unknown {
  refuseDepth(depth)
  if (typeof value === 'string') return slots.name(value)
  if (value instanceof ExactNumber) return slots.json(value.text, null)
  if (Array.isArray(value)) return value.map((each) => templateData(each, slots, depth + 1))
  if (!isObject(value)) return value
  return mapEntries(value, (key, each) => [slots.name(key), templateData(each, slots, depth + 1)])
}

function schemaOf(value: unknown, slots: Slots, depth: number): unknown {
  refuseDepth(depth)
  if (Array.isArray(value)) return value.map((each) => schemaOf(each, slots, depth + 1))
  if (!isObject(value)) return templateData(value, slots, depth)
  return mapEntries(value, (key, each) => {
    if (schemaKeywords.has(key)) return [key, schemaOf(each, slots, depth + 1)]
    if (namedSchemaKeywords.has(key)) return [key, namedSchemas(each, slots, depth + 1)]
    if (key === 'type') return [key, typeOf(each, slots, depth + 1)]
    const name = otherKeywords.has(key) ? key : slots.name(key)
    return [name, templateData(each, slots, depth + 1)]
  })
}

function namedSchemas(value: unknown, slots: Slots, depth: number): unknown {
  if (!isObject(value)) return templateData(value, slots, depth)
  return mapEntries(value, (key, each) => [slots.name(key), schemaOf(each, slots, depth + 1)])
}

function typeOf(value: unknown, slots: Slots, depth: number): unknown {
  refuseDepth(depth)
  if (Array.isArray(value)) return value.map((each) => typeOf(each, slots, depth + 1))
  const isName = typeof value === 'string' && typeNames.has(value)
  return isName ? value : templateData(value, slots, depth)
}

function mapEntries(
  object: Record<string, unknown>,
  map: (key: string, value: unknown) => [string, unknown],
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => map(key, value)))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof ExactNumber)
}

function refuseDepth(depth: number): void {
  if (depth > DEPTH_MAX) {
    throw new TemplateRefusal(`a tool's JSON is nested deeper than ${DEPTH_MAX} levels`)
  }
}
