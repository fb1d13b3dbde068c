/**
 * Holds every answer that a gateway under test gives against the OpenAPI document, whoever asked
 * for it: what the document says must be what clients get. Fields that it does not name are found
 * as well.
 */
import diagnostics from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorCatalogue } from '@svc/contracts/errors'
import { clientFamilyOf } from '@svc/gateway/http/client-family'
import { openApiDocument } from '@svc/gateway/openapi/document'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

const REQUEST_STARTED = 'http.server.request.start'
const SHOWN_CHARACTERS = 600

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface DocumentedOperation {
  readonly 'x-errors': readonly string[]
  readonly responses: {
    readonly 200: {
      readonly content: Record<string, { readonly schema: { readonly type?: string } }>
    }
  }
}

interface ErrorBody {
  readonly error?: {
    readonly code?: string | null
    readonly details?: { readonly error_code?: string }
  }
}

const document = openApiDocument('0.0.0', { strict: true })
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'openapi')
/** Those that name a path exactly come first. One with an encoded letter is none of them. */
const documentedPaths = Object.keys(document.paths)
  .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
  .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/%]+')}$`) }))
const validators = new Map<string, ValidateFunction>()

export class AnswerChecker {
  /** What was not as documented. */
  readonly violations: string[] = []
  /** How many answers were held against the document. */
  checked = 0
  readonly #port: number
  readonly #listen = (message: unknown): void => this.#watch(message as Exchange)

  constructor(port: number) {
    this.#port = port
    diagnostics.subscribe(REQUEST_STARTED, this.#listen)
  }

  close(): void {
    diagnostics.unsubscribe(REQUEST_STARTED, this.#listen)
  }

  #watch({ request, response }: Exchange): void {
    if (request.socket.localPort !== this.#port) return
    const chunks: Buffer[] = []
    const { write, end } = response
    const keep = (chunk: unknown): void => {
      if (typeof chunk === 'string') chunks.push(Buffer.from(chunk))
      else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
    }
    response.write = (...sent: unknown[]) => {
      keep(sent[0])
      return Reflect.apply(write, response, sent)
    }
    response.end = (...sent: unknown[]) => {
      keep(sent[0])
      return Reflect.apply(end, response, sent)
    }
    response.once('finish', () => this.#check(request, response, Buffer.concat(chunks)))
  }

  #check(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const { method = '', url = '' } = request
    const path = documentedPath(url)
    const media = mediaTypeOf(response)
    const isError = response.statusCode >= 400
    if (body.length === 0 || method === 'HEAD' || (path === undefined && !isError)) return
    const where = `${method} ${url} ${response.statusCode}`
    const pointer = isError
      ? schemaOfError(request)
      : schemaOfAnswer(path ?? '', method.toLowerCase(), media)
    if (pointer === undefined) return
    this.checked += 1
    if (isError && path !== undefined) this.#checkCode(where, path, method.toLowerCase(), body)
    for (const json of media === 'text/event-stream' ? eventsOf(body) : [body.toString('utf8')]) {
      this.#validate(where, pointer, json)
    }
  }

  /** A route answers with no other errors than the document says of it. */
  #checkCode(where: string, path: string, method: string, body: Buffer): void {
    const documented = document.paths[path]?.[method] as DocumentedOperation | undefined
    const { error } = JSON.parse(body.toString('utf8')) as ErrorBody
    const code = error?.details?.error_code ?? error?.code
    // Clients of one format know a few codes of their own beside those of the catalogue.
    if (documented === undefined || code == null || !(code in errorCatalogue)) return
    if (documented['x-errors'].includes(code)) return
    this.violations.push(`${where}: ${code} is no error of this route`)
  }

  #validate(where: string, pointer: string, json: string): void {
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` })
    validators.set(pointer, validate)
    if (validate(JSON.parse(json))) return
    const problems = ajv.errorsText(validate.errors).slice(0, SHOWN_CHARACTERS)
    this.violations.push(`${where}: ${problems} in ${json.slice(0, SHOWN_CHARACTERS)}`)
  }
}

/** Headers that were given with the status are in the head that was sent, and nowhere else. */
function mediaTypeOf(response: ServerResponse): string {
  const { _header: head } = response as ServerResponse & { readonly _header?: string | null }
  return /^content-type: *([^;\r\n]+)/im.exec(head ?? '')?.[1]?.trim() ?? ''
}

function documentedPath(url: string): string | undefined {
  const [path = ''] = url.split('?', 1)
  return documentedPaths.find(({ pattern }) => pattern.test(path))?.path
}

function schemaOfError(request: IncomingMessage): string {
  const name = clientFamilyOf(request) === 'anthropic' ? 'AnthropicError' : 'OpenAiError'
  return `/components/schemas/${name}`
}

function schemaOfAnswer(path: string, method: string, media: string): string | undefined {
  const documented = document.paths[path]?.[method] as DocumentedOperation | undefined
  if (documented === undefined) return undefined
  // There is nothing to hold against the schema of a text.
  if (documented.responses[200].content[media]?.schema.type === 'string') return undefined
  const steps = ['paths', path, method, 'responses', '200', 'content', media, 'schema']
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function eventsOf(body: Buffer): string[] {
  return body
    .toString('utf8')
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => line.slice('data: '.length))
}
