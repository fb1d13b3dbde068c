/**
 * What a caller wrote in the words of another of the formats. Unknown fields are ignored, but these
 * say what a tool takes, or what the answer has to be: the caller would pay for an answer to less
 * than was asked.
 */
import { ServiceError } from '@svc/contracts/errors'
import { valueAt } from '@svc/contracts/field-path'
import type { JsonObject } from '@svc/contracts/strict-json'
import { isObject } from './fields.ts'

/**
 * The fields in which the formats, and the Model Context Protocol, carry the schema of a tool's
 * arguments.
 */
const schemaFields = ['function', 'parameters', 'input_schema', 'inputSchema'] as const
type SchemaField = (typeof schemaFields)[number]

/** The fields of each format that demand a format of the answer. */
const outputFormatFields = {
  chat: ['response_format'],
  responses: ['text.format'],
  messages: ['output_config.format', 'output_format'],
} as const

/** The field under which a tool carries a schema, in the words of any format. */
export function schemaFieldOf(tool: JsonObject, except?: SchemaField): SchemaField | undefined {
  return schemaFields.find((field) => field !== except && isGiven(tool[field]))
}

/**
 * Refuses a schema in the field of another format. To be called for a tool that has none where this
 * format looks for it.
 *
 * @param own the field that this format does look at
 * @param at where the tool stands, and where this format takes its schema
 * @throws {ServiceError} naming the field of another format that carries one
 */
export function refuseForeignSchema(
  tool: JsonObject,
  own: SchemaField | undefined,
  at: { readonly path: string; readonly schema: string },
): void {
  const field = schemaFieldOf(tool, own)
  if (field === undefined) return
  const param = `${at.path}.${field}`
  const message = `'${param}' is of another format: here the schema of a tool is in ${at.schema}.`
  throw new ServiceError('unsupported_parameter', message, { param })
}

/**
 * Refuses an answer's format in the field of another format. To be called for a request that says
 * nothing of it where this one looks for it.
 *
 * @throws {ServiceError} naming the field by which another format demands JSON
 */
export function refuseForeignOutputFormat(
  body: JsonObject,
  format: keyof typeof outputFormatFields,
): void {
  const own = outputFormatFields[format]
  if (own.some((field) => isGiven(valueAt(body, field.split('.'))))) return
  const foreign = Object.values(outputFormatFields).flat()
  const field = foreign.find((each) => demandsJson(valueAt(body, each.split('.'))))
  if (field === undefined) return
  const message = `'${field}' is of another format: here it is '${own[0]}'.`
  throw new ServiceError('unsupported_parameter', message, { param: field })
}

function demandsJson(format: unknown): boolean {
  return isObject(format) && (format.type === 'json_object' || format.type === 'json_schema')
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}
