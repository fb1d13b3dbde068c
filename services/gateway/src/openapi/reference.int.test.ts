/** The API reference: a valid document, and a page of it. */
import { ADMIN_PREFIX } from '@svc/contracts/admin/declaration'
import { adminOperations } from '@svc/contracts/admin/operations'
import { errorCatalogue } from '@svc/contracts/errors'
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { postTo } from '../../testing/format-requests.ts'
import { openApiDocument } from './document.ts'

interface Posted {
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        { readonly schema: { readonly properties?: Readonly<Record<string, unknown>> } }
      >
    >
  }
}

/**
 * Leaves out the operator's paths: they are served, and tested, where the operator's routes are.
 */
function customersPaths<Methods>(paths: Readonly<Record<string, Methods>>) {
  return Object.entries(paths).filter(([path]) => !path.startsWith(ADMIN_PREFIX))
}

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway()
})
afterAll(() => fixture[Symbol.asyncDispose]())

test('/openapi.json is the document, for anyone', async () => {
  const response = await fetch(`${fixture.baseUrl}/openapi.json`)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument('0.0.0'))))
})

test('every reference in the document leads somewhere', () => {
  const document = openApiDocument('0.0.0')
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)]
  expect(references.length).toBeGreaterThan(10)
  for (const [, reference = ''] of references) {
    const name = reference.replace('#/components/schemas/', '')
    expect(Object.keys(document.components.schemas)).toContain(name)
  }
})

test('a request may name the model by each of its names, and by no other', () => {
  const { paths, components } = openApiDocument('0.0.0')
  const bodies = customersPaths(paths).flatMap(([path, { post }]) => {
    const body = (post as Posted | undefined)?.requestBody?.content['application/json']?.schema
    return body?.properties?.model === undefined ? [] : [[path, body.properties.model] as const]
  })
  expect(bodies.map(([path]) => path)).toEqual(
    expect.arrayContaining(['/v1/chat/completions', '/v1/responses', '/v1/messages']),
  )
  for (const [path, schema] of bodies) {
    const shown = JSON.stringify({ path, enum: (schema as { enum?: unknown }).enum })
    expect(shown).toBe(JSON.stringify({ path, enum: ['svc-beta', 'svc-pro', 'svc-4'] }))
  }
  expect(components.schemas.Response).toMatchObject({
    properties: { model: { const: 'svc-beta' } },
  })
})

test('every path that a key opens is served', async () => {
  const { paths } = openApiDocument('0.0.0')
  for (const [path, methods] of customersPaths(paths)) {
    for (const method of Object.keys(methods)) {
      const url = fixture.baseUrl + path.replace('{id}', 'x')
      const response = await fetch(url, {
        method: method.toUpperCase(),
        headers: { authorization: `Bearer ${fixture.ledger.secret}` },
      })
      expect(await response.text(), `${method} ${path}`).not.toMatch(
        /"unknown_url"|"method_not_allowed"/,
      )
    }
  }
})

test('every example in the document is answered', async () => {
  const { paths } = openApiDocument('0.0.0')
  const examples = Object.entries(paths).flatMap(([path, { post }]) => {
    const content = (post as { requestBody?: { content: Record<string, { example?: object }> } })
      ?.requestBody?.content
    const example = content?.['application/json']?.example
    return example === undefined ? [] : [[path, example] as const]
  })
  expect(examples.length).toBeGreaterThan(3)
  for (const [path, example] of examples) {
    const response = await postTo(fixture, path, example)
    expect(response.status, `${path}: ${await response.text()}`).toBe(200)
  }
})

test('every operation of the operator is in the document, with who may', () => {
  const { paths } = openApiDocument('0.0.0')
  for (const [name, { method, path, role }] of Object.entries(adminOperations)) {
    const methods = paths[ADMIN_PREFIX + path.replace(/:(\w+)/g, '{$1}')]
    const described = methods?.[method.toLowerCase()]
    expect(described).toMatchObject({ operationId: name, 'x-role': role, tags: ['Operator'] })
  }
  const schemas = JSON.stringify(
    Object.entries(paths).filter(([path]) => path.startsWith(ADMIN_PREFIX)),
  )
  expect(schemas).not.toMatch(/"name":"[a-z]+[A-Z]/)
})

test('/docs shows every path, and loads nothing from elsewhere', async () => {
  const response = await fetch(`${fixture.baseUrl}/docs`)
  const html = await response.text()
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(html).toContain(`curl ${fixture.baseUrl}/v1/chat/completions`)
  expect(html.replaceAll(fixture.baseUrl, '')).not.toMatch(/<script|src=|https?:\/\//)
  for (const path of Object.keys(openApiDocument('0.0.0').paths)) {
    if (!path.startsWith('/pro')) expect(html).toContain(path)
  }
})

test('the reference comes compressed to those who take it, and as it is to others', async () => {
  for (const path of ['/docs', '/openapi.json']) {
    const ask = (encoding: string) =>
      fetch(fixture.baseUrl + path, { headers: { 'accept-encoding': encoding } })
    const compressed = await ask('br, gzip')
    expect(compressed.headers.get('content-encoding')).toBe('gzip')
    const size = Number(compressed.headers.get('content-length'))
    for (const encoding of ['identity', 'gzip;q=0']) {
      const plain = await ask(encoding)
      expect(plain.headers.get('content-encoding')).toBeNull()
      expect(plain.headers.get('vary')).toContain('accept-encoding')
      expect(size).toBeLessThan(Number(plain.headers.get('content-length')) / 5)
      expect(await plain.text()).toBe(await (await ask('gzip')).text())
    }
  }
})

test('pages have one main part and their own background, and what scrolls is named', async () => {
  for (const path of ['/', '/docs']) {
    const html = await (await fetch(fixture.baseUrl + path)).text()
    expect(html.match(/<main>/g)).toHaveLength(1)
    expect(html).toMatch(/^html \{ background: var\(--back\); color: /m)
    const scrolling = html.match(/<pre[^>]*>|<div class="scroll"[^>]*>/g) ?? []
    expect(scrolling.length).toBeGreaterThan(0)
    for (const tag of scrolling) {
      expect(tag).toMatch(/ tabindex="0" role="region" aria-label="[^"]+">$/)
    }
    // No table stands outside a block that scrolls, or it would widen the whole page.
    expect(html.replaceAll(/<div class="scroll"[^>]*><table>/g, '')).not.toContain('<table')
  }
})

/** Every field of every schema and parameter, with what holds it. */
function fieldsOf(value: unknown, path: string): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return []
  const { properties, parameters } = value as {
    readonly properties?: Readonly<Record<string, unknown>>
    readonly parameters?: readonly { readonly name: string }[]
  }
  const own = Object.entries(properties ?? {}).map(([n, f]) => [`${path}.${n}`, f] as const)
  const asked = Array.isArray(parameters)
    ? parameters.map((each) => [`${path}?${each.name}`, each] as const)
    : []
  const inside = Object.entries(value).flatMap(([name, each]) =>
    ['example', 'enum', 'default'].includes(name) ? [] : fieldsOf(each, `${path}/${name}`),
  )
  return [...own, ...asked, ...inside]
}

test('every field of the document says what it means', () => {
  const { paths, components } = openApiDocument('0.0.0')
  const fields = [...fieldsOf(paths, ''), ...fieldsOf(components.schemas, '')]
  expect(fields.length).toBeGreaterThan(1_000)
  const silent = fields.filter(([, field]) => {
    const { description, const: constant } = field as { description?: string; const?: unknown }
    return description === undefined && constant === undefined
  })
  expect(silent.map(([path]) => path)).toEqual([])
})

test('every error of the catalogue is one of a route, or of no route in particular', () => {
  const { paths } = openApiDocument('0.0.0')
  const ofRoutes = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap((described) => (described as { 'x-errors': readonly string[] })['x-errors'])
  const apart = [
    // These are of the dashboard, which is not in the document.
    ...['not_signed_in', 'wrong_credentials', 'sign_in_refused', 'provider_unavailable'],
    'another_user',
    // These are of addresses and methods that are no route.
    ...['unknown_url', 'method_not_allowed', 'upgrade_refused'],
  ]
  expect(new Set([...ofRoutes, ...apart])).toEqual(new Set(Object.keys(errorCatalogue)))
})

test('/docs shows the fields inside of fields, with their meaning, and the errors of a route', async () => {
  const html = await (await fetch(`${fixture.baseUrl}/docs`)).text()
  expect(html).toContain('<code>messages[].<wbr>tool_calls[].<wbr>function.<wbr>name</code>')
  expect(html).toContain('Above 0 the answer varies')
  expect(html).toContain('<a href="#schema-ChatUsage">')
  expect(html).toContain('id="schema-ChatUsage"')
  const section = html.slice(html.indexOf('<code>GET /v1/statement</code>')).split('</details>')[0]
  expect(section).toContain('<code>view_behind</code>')
  expect(section).not.toContain('<code>insufficient_quota</code>')
})
