/** The fields of a JSON Schema as rows of HTML: also those inside of others, however deep. */
import { escapeHtml, scrolling } from '../http/pages/html-page.ts'

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly items?: Schema | boolean
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

/** Alternatives of an object in an object …: behind that it is an example that helps. */
const DEPTH_MAX = 12
/** From here on a bound is beyond what a double holds exactly, so nobody has set it. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER

/** @param label what it is of, for screen readers */
export function fieldTable(schema: Schema, label: string): string {
  const rows = rowsOf(schema, '', 0)
  if (rows === '') return `<p>${typeHtml(schema)}</p>`
  const head =
    '<thead><tr><th scope="col">Field</th><th scope="col">Type</th>' +
    '<th scope="col">Meaning</th></tr></thead>'
  return `<div class="scroll" ${scrolling(label)}><table>${head}<tbody>${rows}</tbody></table></div>`
}

/** The place on the page of a schema that has a name. */
export function schemaAnchor(name: string): string {
  return `schema-${name}`
}

function rowsOf(schema: Schema, prefix: string, depth: number): string {
  if (depth > DEPTH_MAX) return ''
  const own = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const isNeeded = schema.required?.includes(name) === true
    return row(prefix + name, field, isNeeded) + rowsOf(field, `${prefix}${name}.`, depth + 1)
  })
  const { items, additionalProperties: others } = schema
  const ofItems = typeof items === 'object' ? rowsOf(items, listed(prefix), depth + 1) : ''
  const ofOthers = typeof others === 'object' ? rowsOf(others, `${prefix}*.`, depth + 1) : ''
  return own.join('') + ofItems + ofOthers + alternativeRows(schema, prefix, depth)
}

/** Makes rows of the shapes that an object can have; a name of its own field says which. */
function alternativeRows(schema: Schema, prefix: string, depth: number): string {
  const shapes = alternativesOf(schema).filter((each) => rowsOf(each, prefix, depth + 1) !== '')
  return shapes
    .map((shape) => {
      const kind = shapes.length > 1 ? kindOf(shape) : undefined
      const heading =
        kind === undefined
          ? ''
          : `<tr><th scope="rowgroup" colspan="3">${escapeHtml(`${placeOf(prefix)}${kind}`)}</th></tr>`
      return heading + rowsOf(shape, prefix, depth + 1)
    })
    .join('')
}

/** Says which alternative an object is, such as `type = "text"`. */
function kindOf({ properties = {} }: Schema): string | undefined {
  const told = Object.entries(properties).find(([, field]) => field.const !== undefined)
  return told === undefined ? 'or' : `${told[0]} = ${JSON.stringify(told[1].const)}`
}

/** Makes `messages[].` of `messages.`. */
function listed(prefix: string): string {
  return prefix === '' ? '[].' : `${prefix.slice(0, -1)}[].`
}

function placeOf(prefix: string): string {
  return prefix === '' ? '' : `${prefix.slice(0, -1)} with `
}

function row(path: string, field: Schema, isNeeded: boolean): string {
  const type = [typeHtml(field), boundsOf(field), isNeeded ? '' : 'optional']
  return `<tr><th scope="row"><code>${escapeHtml(path).replaceAll('.', '.<wbr>')}</code></th>
<td>${type.filter((each) => each !== '').join(', ')}</td>
<td>${codeHtml(field.description ?? '')}</td></tr>`
}

/** The name of its type, with a link to a schema that has a name. */
function typeHtml(schema: Schema): string {
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) return `<a href="#${schemaAnchor(name)}">${escapeHtml(name)}</a>`
  const alternatives = alternativesOf(schema)
  if (alternatives.length > 0) return [...new Set(alternatives.map(typeHtml))].join(' or ')
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => code(JSON.stringify(value))).join(', ')
  }
  if (schema.type === 'array') {
    return typeof schema.items === 'object' ? `list of ${typeHtml(schema.items)}` : 'list'
  }
  return escapeHtml([schema.type ?? 'any'].flat().join(' or '))
}

function boundsOf(schema: Schema): string {
  const { minimum, maximum, maxLength, maxItems, default: given } = schema
  const bounds = [
    minimum === undefined || minimum <= -UNBOUNDED ? '' : `from ${minimum}`,
    maximum === undefined || maximum >= UNBOUNDED ? '' : `to ${maximum}`,
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    maxItems === undefined ? '' : `at most ${maxItems} items`,
    given === undefined ? '' : `default ${JSON.stringify(given)}`,
  ]
  const own = bounds.filter((each) => each !== '').join(' ')
  const inside = alternativesOf(schema).map(boundsOf)
  return [escapeHtml(own), ...inside].filter((each) => each !== '').join(', ')
}

function alternativesOf({ anyOf, oneOf }: Schema): readonly Schema[] {
  return anyOf ?? oneOf ?? []
}

/** Shows a text with what stands between backticks as code. */
export function codeHtml(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}

function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`
}
