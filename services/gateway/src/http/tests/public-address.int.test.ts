/**
 * The address that clients are told: on the page, in the hint of a 404 and in the OpenAPI document.
 * Behind TLS it is an address with TLS, and what a stranger sends never becomes a part of it.
 */

import { type FixtureOptions, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sendRaw } from '../../../testing/raw-socket.ts'

const HERE = ['127.0.0.0/8', '::1']

/** Gathers everything of the service that names an address, asked for with these headers. */
async function toldBy(options: FixtureOptions, headers: Record<string, string> = {}) {
  const fixture = await startGateway(options)
  onTestFinished(() => fixture[Symbol.asyncDispose]())
  const lines = Object.entries({ host: 'svc.internal:8080', ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const get = async (path: string, more = '') => {
    const { body } = await sendRaw(
      fixture.port,
      `GET ${path} HTTP/1.1\r\n${head}${more}Connection: close\r\n\r\n`,
    )
    return body
  }
  return {
    page: await get('/'),
    docs: await get('/docs'),
    document: await get('/openapi.json'),
    hint: await get('/wrong'),
    messagesHint: await get('/wrong', 'anthropic-version: 2023-06-01\r\n'),
    own: `http://127.0.0.1:${fixture.port}`,
  }
}

const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'api.example.com' }

describe('with a public address', () => {
  const publicUrl = 'https://api.example.com/llm'

  test.each([{}, forwarded, { 'x-forwarded-host': 'evil.example' }])(
    'nothing else is told, whatever is sent: %j',
    async (headers) => {
      const { own: _own, ...told } = await toldBy({ publicUrl, trustedProxies: HERE }, headers)
      for (const [where, text] of Object.entries(told)) {
        expect(text, where).not.toMatch(/http:\/\/|svc\.internal|evil/)
      }
      expect(told.page).toContain(`${publicUrl}/v1/chat/completions`)
      expect(told.page).toContain(`<code>${publicUrl}</code>`)
      expect(told.hint).toContain(`client to ${publicUrl}/v1.`)
      expect(told.messagesHint).toContain(`client to ${publicUrl}.`)
      expect(JSON.parse(told.document)).toMatchObject({ servers: [{ url: publicUrl }] })
    },
  )

  test('links stay below it', async () => {
    const { page, docs } = await toldBy({ publicUrl })
    const targets = [...(page + docs).matchAll(/href="([^"]*)"/g)].map(([, target]) => target)
    const elsewhere = targets.filter((target) => target?.startsWith('#') === false)
    expect(elsewhere).toEqual(['v1/prices', 'docs', 'openapi.json'])
  })
})

describe('behind a proxy', () => {
  test('that is trusted, its address is told', async () => {
    const told = await toldBy({ trustedProxies: HERE }, forwarded)
    expect(told.page).toContain('https://api.example.com/v1')
    expect(told.hint).toContain('client to https://api.example.com/v1.')
    expect(`${told.page}${told.hint}${told.docs}${told.document}`).not.toContain('http://')
  })

  test('of several, the last one counts', async () => {
    const headers = {
      'x-forwarded-proto': 'http, https',
      'x-forwarded-host': 'evil.example, api.example.com',
    }
    const { hint } = await toldBy({ trustedProxies: HERE }, headers)
    expect(hint).toContain('client to https://api.example.com/v1.')
  })

  test.each([[[]], [['10.0.0.0/8', 'fd00::/8']]])(
    'that is not trusted, its headers are nothing: trusted are %j',
    async (trustedProxies) => {
      const { page, hint } = await toldBy({ trustedProxies }, forwarded)
      expect(hint).toContain('client to http://svc.internal:8080/v1.')
      expect(page + hint).not.toContain('example.com')
    },
  )
})

describe('forged headers', () => {
  const forged = ['<script>', 'a"onload=x', 'a b', "a'$(id)", 'a/b', 'a@b', '%0a', 'a:b:c', 'ä']

  test.each(forged)('Host: %s is told to nobody', async (host) => {
    const { page, hint, own } = await toldBy({}, { host })
    expect(page + hint).not.toContain(host)
    expect(hint).toContain(`client to ${own}/v1.`)
  })

  test.each(forged)('X-Forwarded-Host: %s is told to nobody', async (host) => {
    const { page, hint } = await toldBy({ trustedProxies: HERE }, { 'x-forwarded-host': host })
    expect(page + hint).not.toContain(host)
    expect(hint).toContain('client to http://svc.internal:8080/v1.')
  })

  test('X-Forwarded-Proto is http or https', async () => {
    const headers = { 'x-forwarded-proto': 'javascript' }
    const { page, hint } = await toldBy({ trustedProxies: HERE }, headers)
    expect(page + hint).not.toContain('javascript')
    expect(hint).toContain('client to http://svc.internal:8080/v1.')
  })
})
