/** The reference at `/docs`: every route whole, from the OpenAPI document. */
import { type ErrorCode, type ErrorEntry, errorCatalogue } from '@svc/contracts/errors'
import { escapeHtml, htmlPage, preformatted, scrolling } from '../http/pages/html-page.ts'
import type { OpenApiDocument } from './document.ts'
import { codeHtml, fieldTable, type Schema, schemaAnchor } from './field-table.ts'
import { ADDRESS } from './reference.ts'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Described {
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { schema: Schema; example?: object }>>
  }
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { schema: Schema }>> }>
  >
  readonly 'x-errors': readonly ErrorCode[]
  readonly 'x-role'?: string
}

interface Route {
  readonly method: string
  readonly path: string
  readonly hasPro: boolean
  readonly described: Described
}

const EVENTS = 'text/event-stream'

/** @returns the page, with {@link ADDRESS} where the address of the server belongs */
export function referencePage(document: OpenApiDocument): string {
  return htmlPage('svc API reference', bodyOf(document), 'wide')
}

function bodyOf(document: OpenApiDocument): string {
  const routes = Object.entries(document.paths)
    .filter(([path]) => !path.startsWith('/pro/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]): Route => {
        const hasPro = `/pro${path}` in document.paths
        return { method: method.toUpperCase(), path, hasPro, described: described as Described }
      }),
    )
  const tags = [...new Set(routes.flatMap(({ described }) => described.tags))]
  const sections = tags.map((tag) => {
    const own = routes.filter(({ described }) => described.tags.includes(tag))
    return `<h2 id="${tag}">${escapeHtml(tag)}</h2>${own.map(routeSection).join('')}`
  })
  const links = [...tags, 'Schemas', 'Errors'].map((each) => `<a href="#${each}">${each}</a>`)
  return `<h1>API reference</h1>
<p>Base address: <code>${ADDRESS}</code>. A key goes into <code>Authorization: Bearer</code> or
<code>x-api-key</code>, on every route alike; what begins with <code>/admin</code> takes an admin
token. The same as a document for tools: <a href="openapi.json">openapi.json</a>.</p>
<p>${links.join(' · ')}</p>
${sections.join('')}
<h2 id="Schemas">Schemas</h2>${Object.entries(document.components.schemas).map(schemaSection).join('')}
<h2 id="Errors">Errors</h2>${errorTable()}`
}

function routeSection({ method, path, hasPro, described }: Route): string {
  const { summary, description = '', requestBody, responses, parameters = [] } = described
  const heading = `${method} ${path}`
  const body = Object.values(requestBody?.content ?? {})[0]
  const answers = Object.entries(responses['200']?.content ?? {})
  const role = described['x-role']
  return `<details><summary><code>${escapeHtml(heading)}</code> ${escapeHtml(summary)}</summary>
<p>${codeHtml(description)}${hasPro ? ' Also under <code>/pro</code>.' : ''}
${role === undefined ? '' : `It needs the role <code>${escapeHtml(role)}</code>.`}</p>
${preformatted(`Example of ${heading}`, exampleOf(method, path, body?.example))}
${parameters.length === 0 ? '' : `<h3>Parameters</h3>${parameterTable(parameters, heading)}`}
${body === undefined ? '' : `<h3>Request</h3>${fieldTable(body.schema, `Request of ${heading}`)}`}
${answers.map(([media, { schema }]) => answerSection(media, schema, heading)).join('')}
<h3>Errors</h3><ul>${errorLines(described['x-errors'])}</ul>
</details>`
}

function answerSection(media: string, schema: Schema, heading: string): string {
  const name = media === EVENTS ? 'Each event of a stream' : 'Answer'
  return `<h3>${name} (<code>${escapeHtml(media)}</code>)</h3>
${fieldTable(schema, `${name} of ${heading}, ${media}`)}`
}

function schemaSection([name, schema]: readonly [string, object]): string {
  return `<details id="${schemaAnchor(name)}"><summary><code>${escapeHtml(name)}</code></summary>
${fieldTable(schema, `Fields of ${name}`)}</details>`
}

function parameterTable(parameters: readonly Parameter[], heading: string): string {
  const places = { path: 'in the path', query: 'in the query', header: 'a header' } as const
  const schema = {
    properties: Object.fromEntries(
      parameters.map(({ name, in: place, description, schema: each }) => {
        const text = [description, `(${places[place]})`].filter((word) => word !== undefined)
        return [name, { ...each, description: text.join(' ') }]
      }),
    ),
    required: parameters.filter(({ required }) => required === true).map(({ name }) => name),
  }
  return fieldTable(schema, `Parameters of ${heading}`)
}

function exampleOf(method: string, path: string, example: object | undefined): string {
  const verb = method === 'GET' || method === 'POST' ? '' : ` -X ${method}`
  const token = path.startsWith('/admin') ? '$SVC_ADMIN_TOKEN' : '$SVC_KEY'
  const address = `curl${verb} ${ADDRESS}${path.replaceAll(/\{(\w+)\}/g, '$$$1')}`
  const lines = [address, `  -H "Authorization: Bearer ${token}"`]
  if (method === 'POST') {
    const body = JSON.stringify(example ?? {})
    lines.push('  -H "Content-Type: application/json"', `  -d '${body}'`)
  }
  return lines.join(' \\\n')
}

/** Lists the errors by their status, each with a link to what it means. */
function errorLines(codes: readonly ErrorCode[]): string {
  const statuses = [...Map.groupBy(codes, (code) => errorCatalogue[code].status)]
  return statuses
    .toSorted(([a], [b]) => a - b)
    .map(([status, some]) => {
      const links = some.map((code) => `<a href="#error-${code}"><code>${code}</code></a>`)
      return `<li>${status}: ${links.join(', ')}</li>`
    })
    .join('')
}

function errorTable(): string {
  const rows = Object.entries<ErrorEntry>(errorCatalogue).map(([code, { status, doc, retry }]) => {
    return `<tr id="error-${code}"><th scope="row"><code>${code}</code></th><td>${status}</td>
<td>${codeHtml(doc)}${retry ? ' It may be sent again.' : ''}</td></tr>`
  })
  return `<div class="scroll" ${scrolling('All errors')}><table><thead><tr><th scope="col">Code</th>
<th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.join('')}</tbody></table></div>`
}
