/** The reference at `/docs`: every route with its fields, from the OpenAPI document. */
import { escapeHtml, htmlPage, preformatted, scrolling } from '../http/html-page.ts'
import type { OpenApiDocument } from './document.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}
interface Described {
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: 'path' | 'query'
    readonly required: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { schema: Schema; example?: object }>>
  }
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { schema: Schema }>> }>
  >
}

const SHOWN_VALUES = 8

export function referencePage(document: OpenApiDocument): string {
  const routes = Object.entries(document.paths)
    .filter(([path]) => !path.startsWith('/pro/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({
        heading: `${method.toUpperCase()} ${path}`,
        hasPro: `/pro${path}` in document.paths,
        described: described as Described,
      })),
    )
  const tags = [...new Set(routes.flatMap(({ described }) => described.tags))]
  const sections = tags.map((tag) => {
    const own = routes.filter(({ described }) => described.tags.includes(tag))
    const shown = own.map((route) => routeSection(document, route))
    return `<h2>${escapeHtml(tag)}</h2>${shown.join('')}`
  })
  const intro = `<h1>API reference</h1>
<p>A key goes into <code>Authorization: Bearer</code> or <code>x-api-key</code>, on every route
alike. The same as a document for tools: <a href="openapi.json">openapi.json</a>.</p>`
  return htmlPage('svc API reference', intro + sections.join(''))
}

function routeSection(
  document: OpenApiDocument,
  { heading, hasPro, described }: { heading: string; hasPro: boolean; described: Described },
): string {
  const { summary, description = '', requestBody, responses } = described
  const pro = hasPro ? ' Also under <code>/pro</code>.' : ''
  const body = Object.values(requestBody?.content ?? {})[0]
  const answer = Object.values(responses['200']?.content ?? {})[0]
  return `<details><summary><code>${escapeHtml(heading)}</code> ${escapeHtml(summary)}</summary>
<p>${escapeHtml(description)}${pro}</p>
${queryTable(document, heading, described)}
${body?.example === undefined ? '' : curlExample(heading, body.example)}
${body === undefined ? '' : `<h3>Request</h3>${fieldTable(document, body.schema, `Request of ${heading}`)}`}
${answer === undefined ? '' : `<h3>Answer</h3>${fieldTable(document, answer.schema, `Answer of ${heading}`)}`}
</details>`
}

function queryTable(
  document: OpenApiDocument,
  heading: string,
  { parameters = [] }: Described,
): string {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  if (inQuery.length === 0) return ''
  const schema = {
    properties: Object.fromEntries(inQuery.map(({ name, schema: each }) => [name, each])),
    required: inQuery.filter(({ required }) => required).map(({ name }) => name),
  }
  return `<h3>Query</h3>${fieldTable(document, schema, `Query of ${heading}`)}`
}

function curlExample(heading: string, example: object): string {
  const path = heading.slice(heading.indexOf('/'))
  const command = `curl $SVC_URL${path} \\
  -H "Authorization: Bearer $SVC_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(example)}'`
  return preformatted(`Example of ${heading}`, command)
}

function fieldTable(document: OpenApiDocument, given: Schema, label: string): string {
  const alternatives = (given.anyOf ?? given.oneOf ?? [given]).map((each) =>
    resolved(document, each),
  )
  return alternatives
    .map((schema) => {
      return `<div class="scroll" ${scrolling(label)}><table>${rows(document, schema)}</table></div>`
    })
    .join('')
}

function rows(document: OpenApiDocument, { properties = {}, required = [] }: Schema): string {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const needed = required.includes(name) ? '' : 'optional'
      return `<tr><th scope="row"><code>${escapeHtml(name)}</code></th>
<td>${escapeHtml(typeText(document, schema))}</td><td>${needed}</td></tr>`
    })
    .join('')
}

function typeText(document: OpenApiDocument, given: Schema): string {
  const schema = resolved(document, given)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) {
    return [...new Set(alternatives.map((each) => typeText(document, each)))].join(' or ')
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) {
    return schema.enum
      .slice(0, SHOWN_VALUES)
      .map((value) => JSON.stringify(value))
      .join(', ')
  }
  if (schema.type === 'array') {
    return schema.items === undefined ? 'list' : `list of ${typeText(document, schema.items)}`
  }
  return [schema.type ?? 'any'].flat().join(' or ')
}

function resolved(document: OpenApiDocument, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  if (name === undefined) return schema
  return (document.components.schemas[name] ?? {}) as Schema
}
