/** The OpenAPI 3.1 document, generated from the contracts that the code itself uses. */
import { ADMIN_PREFIX, type Declaration } from '@svc/contracts/admin/declaration'
import { adminOperations } from '@svc/contracts/admin/operations'
import { type ErrorCode, errorCatalogue } from '@svc/contracts/errors'
import { anthropicErrorAnswer, openAiErrorAnswer } from '@svc/contracts/wire/errors'
import { z } from 'zod'
import { meaningOf, withMeanings } from './described-fields.ts'
import type { Operation } from './paths/operation.ts'
import { operations } from './paths.ts'
import { errorsOf, operatorErrors } from './route-errors.ts'

const JSON_MEDIA = 'application/json'
const STREAM_MEDIA = 'text/event-stream'
const LINES_MEDIA = 'application/x-ndjson'
const COMPONENTS = '#/components/schemas/'

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly securitySchemes: Readonly<Record<string, object>>
  }
  readonly [field: string]: unknown
}

export interface DocumentOptions {
  /**
   * Whether answers may have no other fields: for tests. The published document allows others, so
   * that a field can be added without breaking clients.
   */
  readonly strict?: boolean
  /** The address of the server. Default: the one that the document was read from. */
  readonly serverUrl?: string | undefined
}

/** @param version of the service */
export function openApiDocument(
  version: string,
  { strict = false, serverUrl = '/' }: DocumentOptions = {},
): OpenApiDocument {
  const schemas = new SchemaCollection(strict)
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const described = describe(operation, schemas)
    for (const prefix of operation.pro ? ['', '/pro'] : ['']) {
      const path = prefix + operation.path
      paths[path] = { ...paths[path], [operation.method]: described }
    }
  }
  for (const [name, declared] of Object.entries<Declaration>(adminOperations)) {
    const path = ADMIN_PREFIX + declared.path.replace(/:(\w+)/g, '{$1}')
    const method = declared.method.toLowerCase()
    paths[path] = { ...paths[path], [method]: describeAdmin(name, declared, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc',
      version,
      description:
        'Prepaid language-model inference in three wire formats. A key goes into ' +
        '`Authorization: Bearer` or `x-api-key`, on every route alike.',
    },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }, { apiKey: [] }],
    paths,
    components: {
      schemas: schemas.components,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        operatorToken: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}

function describe(operation: Operation, schemas: SchemaCollection): object {
  const { summary, description, tag, family, body, example, answer, streamEvent, path } = operation
  const { query = z.object({}), media = JSON_MEDIA } = operation
  const error = family === 'anthropic' ? anthropicErrorAnswer : openAiErrorAnswer
  return {
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    parameters: [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => inPath(name)),
      ...Object.entries<z.core.$ZodType>(query.shape).map(([name, schema]) =>
        inQuery({ name, schema, of: path.split('/').at(-1) ?? '' }, schemas),
      ),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              [JSON_MEDIA]: {
                schema: schemas.body(body),
                ...(example === undefined ? {} : { example }),
              },
            },
          },
        }),
    responses: {
      200: {
        description: 'The answer.',
        content: {
          ...Object.fromEntries(
            [media].flat().map((each) => [each, { schema: schemas.answer(answer) }]),
          ),
          ...(streamEvent === undefined
            ? {}
            : { [STREAM_MEDIA]: { schema: schemas.answer(streamEvent) } }),
        },
      },
      ...errorResponses(errorsOf(operation), error, schemas),
    },
    'x-errors': errorsOf(operation),
  }
}

function describeAdmin(name: string, declared: Declaration, schemas: SchemaCollection): object {
  const { summary, role, path, method, input, output, answer } = declared
  const named = [...path.matchAll(/:(\w+)/g)].map(([, field = '']) => field)
  const inHeader = ({ idempotency_key }: typeof input.shape) => idempotency_key !== undefined
  const rest = Object.entries(input.shape).filter(
    ([field]) => !named.includes(field) && field !== 'idempotency_key',
  )
  const body = z.strictObject(Object.fromEntries(rest))
  const errors = operatorErrors(method !== 'GET')
  return {
    operationId: name,
    summary,
    tags: ['Operator'],
    'x-role': role,
    security: [{ operatorToken: [] }],
    parameters: [
      ...named.map(inPath),
      ...(inHeader(input.shape) ? [idempotencyHeaderOf(declared)] : []),
      ...(method === 'GET'
        ? rest.map(([field, schema]) => inQuery({ name: field, schema, of: name }, schemas))
        : []),
    ],
    ...(method === 'GET'
      ? {}
      : { requestBody: { content: { [JSON_MEDIA]: { schema: schemas.body(body) } } } }),
    responses: {
      200: {
        description: answer === 'json' ? 'The answer.' : 'Each line, until it ends.',
        content: {
          [answer === 'json' ? JSON_MEDIA : LINES_MEDIA]: { schema: schemas.answer(output) },
        },
      },
      ...errorResponses(errors, openAiErrorAnswer, schemas),
    },
    'x-errors': errors,
  }
}

const idempotencyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'What is asked for again with the same key is done once.',
  schema: { type: 'string', maxLength: 255 },
}

/** An external id says by itself what was asked for before. */
function idempotencyHeaderOf({ input }: Declaration): object {
  if (!('external_id' in input.shape)) return idempotencyHeader
  const description = `${idempotencyHeader.description} Without effect beside an external_id.`
  return { ...idempotencyHeader, description }
}

function inPath(name: string): object {
  const description = meaningOf(name, '')
  return { name, in: 'path', required: true, description, schema: { type: 'string' } }
}

interface QueryField {
  readonly name: string
  readonly schema: z.core.$ZodType
  /** What is asked. */
  readonly of: string
}

function inQuery({ name, schema, of }: QueryField, schemas: SchemaCollection): object {
  const field = schema as z.ZodType
  const description = meaningOf(name, of)
  const required = !acceptsNothing(field)
  return { name, in: 'query', required, description, schema: schemas.body(field) }
}

/** Tells whether a field may be left out, because it is optional or has a default. */
function acceptsNothing(field: z.ZodType): boolean {
  return field.safeParse(undefined).success
}

/** Makes one response for each status, with what its codes mean. */
function errorResponses(
  codes: readonly ErrorCode[],
  error: z.ZodType,
  schemas: SchemaCollection,
): Readonly<Record<string, object>> {
  const statuses = Map.groupBy(codes, (code) => errorCatalogue[code].status)
  const content = { [JSON_MEDIA]: { schema: schemas.answer(error) } }
  return Object.fromEntries(
    [...statuses].map(([status, some]) => {
      const meanings = some.map((code) => `\`${code}\`: ${errorCatalogue[code].doc}`)
      return [status, { description: meanings.join(' '), content }]
    }),
  )
}

/** JSON Schemas, with those that have a name kept once for all. */
class SchemaCollection {
  readonly components: Record<string, object> = {}
  readonly #strict: boolean

  constructor(strict: boolean) {
    this.#strict = strict
  }

  body(schema: z.ZodType): object {
    return this.#collected(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
  }

  answer(schema: z.ZodType): object {
    const json = z.toJSONSchema(schema, { unrepresentable: 'any' })
    return this.#collected(this.#strict ? json : withoutClosing(json))
  }

  #collected({ $schema: _, $defs = {}, ...schema }: z.core.JSONSchema.BaseSchema): object {
    for (const [name, definition] of Object.entries($defs)) {
      this.components[name] = withMeanings(referencing(definition as object), name)
    }
    return this.#named(referencing(schema))
  }

  #named(schema: object): object {
    const { id, ...rest } = schema as { id?: string }
    if (id === undefined) return withMeanings(schema, '')
    this.components[id] = withMeanings(rest, id)
    return { $ref: COMPONENTS + id }
  }
}

/** References to definitions of one schema, as references to the components of the document. */
function referencing(schema: object): object {
  return mapObjects(schema, (each) => {
    const { $ref, ...rest } = each as { $ref?: string }
    if (typeof $ref !== 'string') return each
    return { ...rest, $ref: $ref.replace(/^#\/\$defs\//, COMPONENTS) }
  })
}

function withoutClosing<Schema extends object>(schema: Schema): Schema {
  return mapObjects(schema, (each) => {
    const { additionalProperties, ...rest } = each as { additionalProperties?: unknown }
    return additionalProperties === false ? rest : each
  }) as Schema
}

function mapObjects(value: object, change: (each: object) => object): object {
  const mapped = Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, mapValue(each, change)]),
  )
  return change(mapped)
}

function mapValue(value: unknown, change: (each: object) => object): unknown {
  if (Array.isArray(value)) return value.map((each) => mapValue(each, change))
  return typeof value === 'object' && value !== null ? mapObjects(value, change) : value
}
