/** The page `docs/reference/admin-api.md`, made of the declarations of the operations. */
import { z } from 'zod'
import { ADMIN_PREFIX, type Declaration } from '../src/admin/declaration/declaration.ts'
import { adminOperations } from '../src/admin/operations.ts'
import { type AdminRole, adminRoles } from '../src/events/admin-tokens.ts'
import { markdownTable } from './markdown-table.ts'

/** A role without a sentence here does not compile. */
const meanings: Record<AdminRole, string> = {
  metrics: 'reads `GET /admin/v1/metrics`, and nothing else',
  auditor: 'reads everything, and changes nothing',
  operator: 'runs the service: accounts, credit, keys, prices, workers',
  owner: 'hands out power: admin tokens',
}

const introduction = `# Admin API

<!-- Written by \`npm run docs:admin\` from \`contracts/src/admin\`. Do not edit by hand. -->

What operators ask of a server, under \`${ADMIN_PREFIX}\`, as \`svc\` does it too
([command line](cli.md)). \`GET /openapi.json\` has the same with the schemas of all bodies and
answers, under _Operator_.

A caller sends \`Authorization: Bearer\` and an admin token, \`svc-admin-…\`
([make one](../how-to/give-finance-a-token.md)), or the root token of the first start, which \`svc operator-token\`
prints. A token that is missing, wrong, expired or revoked is 401 \`invalid_api_key\`; one whose role is not
enough, 403 \`not_allowed\`. After too many wrong tokens in a minute an address gets 429 (\`SVC_MAX_BAD_KEYS\`).

Each role may do what the roles before it may:
`

const recordedNote = `Operations marked ◆ show customers' records. Who calls one with an admin token leaves an event
\`RecordsRead\` in the stream \`audit\`, and gets the answer when that is durable; the same question
within a minute leaves one event. An admin token can leave 2,000 in an hour; more questions are
refused with 429. One token can have 8 answers by lines at once.

A GET takes its fields in the query and no body, a POST in its JSON body and no query: a field in
the other place is 400, and does nothing.

Fields are in snake_case, amounts exact decimal text in dollars, positions decimal text, times
RFC 3339. A field with \`?\` may be left out. _Lines_ is newline-delimited JSON as long as it lasts: a
blank line is a heartbeat.
`

const onceNote =
  'The header `Idempotency-Key` stands for `idempotency_key`: the same key does it once.'
const externalIdNote =
  'With an `external_id` that alone says what is the same, and the key nothing.'

function onceNoteOf({ input }: Declaration): string {
  return `${onceNote}${'external_id' in input.shape ? ` ${externalIdNote}` : ''}\n`
}

/** @returns the page as Markdown, in the order of the declarations */
export function adminReference(): string {
  const roles = adminRoles.map((role) => [`\`${role}\``, meanings[role]])
  const declared = Object.entries<Declaration>(adminOperations)
  return [
    introduction,
    markdownTable([['Role', 'May'], ...roles]),
    '',
    recordedNote,
    '## Operations\n',
    markdownTable([
      ['Operation', 'Role', 'Request', 'What it does'],
      ...declared.map(([name, operation]) => [
        `[\`${name}\`](#${name.toLowerCase()})${operation.recorded === undefined ? '' : ' ◆'}`,
        `\`${operation.role}\``,
        `\`${routeOf(operation)}\``,
        operation.summary,
      ]),
    ]),
    '',
    ...declared.map(([name, operation]) => section(name, operation)),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n')
}

function routeOf({ method, path }: Declaration): string {
  return `${method} ${ADMIN_PREFIX}${path.replace(/:(\w+)/g, '{$1}')}`
}

function section(name: string, operation: Declaration): string {
  const { summary, role, input, output, answer, path, method, repeat } = operation
  const isInPath = (field: string) => path.split('/').includes(`:${field}`)
  const rest = method === 'GET' ? 'query' : 'body'
  const fields = Object.entries(jsonSchema(input, 'input').properties ?? {}).map(
    ([field, schema]) => [
      `\`${field}\`${input.shape[field]?.isOptional() === true ? '?' : ''}`,
      isInPath(field) ? 'path' : rest,
      typeName(schema as JsonSchema),
    ],
  )
  const answered = answer === 'json' ? 'Answer' : 'Lines'
  return [
    `### ${name}\n`,
    `${summary}. \`${routeOf(operation)}\`, role \`${role}\`.\n`,
    ...(repeat === undefined ? [] : [`Asked for again: ${repeat}\n`]),
    ...('idempotency_key' in input.shape ? [onceNoteOf(operation)] : []),
    ...(fields.length === 0 ? [] : [markdownTable([['Field', 'In', 'Type'], ...fields]), '']),
    `${answered}: ${typeName(jsonSchema(output, 'output'))}.\n`,
  ].join('\n')
}

type JsonSchema = z.core.JSONSchema.JSONSchema

function typeName(schema: JsonSchema): string {
  const either = schema.anyOf ?? schema.oneOf
  if (either) return either.map((one) => typeName(one as JsonSchema)).join(' or ')
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ')
  if (schema.type === 'array') return `list of ${typeName((schema.items ?? {}) as JsonSchema)}`
  if (schema.type === 'object') return objectName(schema)
  if (schema.type === 'integer') return 'whole number'
  if (schema.type === 'string') return schema.format === 'date-time' ? 'time' : 'text'
  return String(schema.type ?? 'any value')
}

function objectName({ properties }: JsonSchema): string {
  const names = Object.keys(properties ?? {}).map((name) => `\`${name}\``)
  return names.length === 0 ? 'an object' : `{ ${names.join(', ')} }`
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' })
}
