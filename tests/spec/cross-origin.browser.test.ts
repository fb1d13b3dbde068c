/** A page of another origin calls the API from a real browser, where its origin is named. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { missingChromium, openChromium } from '@svc/testing/chromium'
import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

describe.skipIf(missingChromium() !== undefined)('a page of another origin', () => {
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>chat</title>')
  })
  let origin: string
  let browser: Awaited<ReturnType<typeof openChromium>>
  let page: Awaited<ReturnType<typeof browser.newPage>>

  beforeAll(async () => {
    site.listen(0, '127.0.0.1')
    await once(site, 'listening')
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    browser = await openChromium()
    page = await browser.newPage()
    await page.goto(origin)
  })
  afterAll(async () => {
    await browser?.close()
    site.close()
  })

  /** What the page gets of a streamed answer. */
  function askFromPage({ baseUrl, ledger }: GatewayFixture) {
    const asked = {
      url: `${baseUrl}/v1/chat/completions`,
      secret: ledger.secret,
      body: JSON.stringify(chatBody({ stream: true })),
    }
    return page.evaluate(async ({ url, secret, body }) => {
      const headers = {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        'x-stainless-lang': 'js',
      }
      try {
        const answer = await fetch(url, { method: 'POST', headers, body })
        const requestId = answer.headers.get('x-request-id')
        return { status: answer.status, requestId, text: await answer.text() }
      } catch (error) {
        return String(error)
      }
    }, asked)
  }

  test('reads the answer and its headers where it is named', async () => {
    await using fixture = await startGateway({ corsOrigins: [origin], script: { tokens: 3 } })
    const answer = await askFromPage(fixture)
    expect(answer).toMatchObject({ status: 200, requestId: expect.stringMatching(/^req_/) })
    expect(answer).toMatchObject({ text: expect.stringContaining('data: [DONE]') })
    expect(fixture.ledger.debits().length).toBe(1)
  })

  test('is stopped by the browser where it is not, before anything is billed', async () => {
    await using fixture = await startGateway({ corsOrigins: ['https://chat.example.com'] })
    expect(await askFromPage(fixture)).toMatch(/TypeError/)
    expect(fixture.ledger.entries.size).toBe(0)
  })
})
