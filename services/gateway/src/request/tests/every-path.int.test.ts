/**
 * Nobody reaches the model beside the ledger: every path of the reference is tried with credit and
 * without. The chat of the dashboard, which has paths of its own, is tried in tests/dashboard.
 */
import { ADMIN_PREFIX } from '@svc/contracts/admin/declaration'
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openApiDocument } from '../../openapi/document.ts'

/** A request in every format at once: each takes its own fields, and leaves out those of others. */
const BODY = JSON.stringify({
  model: 'svc-beta',
  max_tokens: 3,
  max_output_tokens: 3,
  messages: [{ role: 'user', content: 'hello' }],
  input: 'hello',
})

/** The paths whose answer the model writes. */
const PAID = [
  '/pro/v1/chat/completions',
  '/pro/v1/responses',
  '/pro/v1/responses/compact',
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/responses',
  '/v1/responses/compact',
]

let fixture: GatewayFixture
beforeEach(async () => {
  fixture = await startGateway({ script: { tokens: 3 } })
})
afterEach(() => fixture[Symbol.asyncDispose]())

interface Tried {
  readonly path: string
  readonly status: number
  /** The ids of the requests that a worker was given for it. */
  readonly given: readonly string[]
}

async function tryEveryPath(): Promise<readonly Tried[]> {
  const tried: Tried[] = []
  for (const [path, methods] of Object.entries(openApiDocument('0.0.0').paths)) {
    if (path.startsWith(ADMIN_PREFIX)) continue
    for (const method of Object.keys(methods)) {
      const before = fixture.worker.runs.length
      const response = await send(method, path.replace('{id}', 'x'))
      await response.text()
      const given = fixture.worker.runs.slice(before).map(({ request }) => request.requestId)
      tried.push({ path, status: response.status, given })
    }
  }
  return tried
}

function send(method: string, path: string): Promise<Response> {
  return fetch(fixture.baseUrl + path, {
    method: method.toUpperCase(),
    headers: {
      authorization: `Bearer ${fixture.ledger.secret}`,
      'content-type': 'application/json',
    },
    ...(method === 'post' && { body: BODY }),
  })
}

test('pitfall 28: every path that the model answers holds credit first, and is charged', async () => {
  const answered = (await tryEveryPath()).filter(({ given }) => given.length > 0)
  expect(answered.map(({ path }) => path).sort()).toEqual(PAID)
  const charged = fixture.ledger.debits().map(([requestId]) => requestId)
  expect(charged).toEqual(answered.flatMap(({ given }) => given))
})

test('pitfall 28: on an empty balance each of them is 402, and no path reaches the model', async () => {
  const tried = await fixture.ledger.withBalance(0n, tryEveryPath)
  expect(tried.flatMap(({ given }) => given)).toEqual([])
  const refused = tried.filter(({ status }) => status === 402).map(({ path }) => path)
  expect(refused.sort()).toEqual(PAID)
})
