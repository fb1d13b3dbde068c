/**
 * What a caller wrote in the words of another of the formats. Unknown fields are ignored, but these
 * say what a tool takes, what the answer has to be, or where it ends: the caller would pay for an
 * answer to less than was asked, or for more of it than was allowed.
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

/** The fields of each format that bound the tokens of the answer. */
const limitFields = {
  chat: ['max_completion_tokens', 'max_tokens'],
  responses: ['max_output_tokens'],
  messages: ['max_tokens'],
} as const

/** The field of each format with texts that end the answer; Responses have none. */
const stopFields = { chat: ['stop'], responses: [], messages: ['stop_sequences'] } as const

type Format = keyof typeof stopFields
type FieldsOfFormats = Readonly<Record<Format, readonly string[]>>

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
export function refuseForeignOutputFormat(body: JsonObject, format: Format): void {
  refuseForeign(body, format, outputFormatFields, demandsJson)
}

/**
 * Refuses a token limit, or texts that end the answer, in the field of another format. To be called
 * for a request that has none where this format looks for them.
 *
 * @throws {ServiceError} naming the field by which another format ends answers
 */
export function refuseForeignEnds(body: JsonObject, format: Format): void {
  refuseForeign(body, format, limitFields, isGiven)
  refuseForeign(body, format, stopFields, (texts) => isGiven(texts) && !isEmptyList(texts))
}

function refuseForeign(
  body: JsonObject,
  format: Format,
  fields: FieldsOfFormats,
  isMeant: (value: unknown) => boolean,
): void {
  const own = fields[format]
  const given = (field: string) => valueAt(body, field.split('.'))
  if (own.some((field) => isGiven(given(field)))) return
  const foreign = Object.values(fields).flat()
  const field = foreign.find((each) => !own.includes(each) && isMeant(given(each)))
  if (field === undefined) return
  const here = own[0] === undefined ? 'this one has nothing like it' : `here it is '${own[0]}'`
  const message = `'${field}' is of another format: ${here}.`
  throw new ServiceError('unsupported_parameter', message, { param: field })
}

function demandsJson(format: unknown): boolean {
  return isObject(format) && (format.type === 'json_object' || format.type === 'json_schema')
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}
