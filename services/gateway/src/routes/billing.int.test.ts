/** Balance, receipts, models, and the pages that anybody may see. */
import { parseDollars } from '@svc/contracts/money'
import { balanceAnswer, receipt } from '@svc/contracts/wire/billing'
import { codexModelList, modelList } from '@svc/contracts/wire/models'
import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectErrorBody } from '../../testing/oracle.ts'

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway({ script: { tokens: 3, cachedTokens: 1 } })
})
afterAll(() => fixture[Symbol.asyncDispose]())

test('the receipt of a request adds up to its debit and its usage', async () => {
  const answer = await fixture.post(chatBody())
  const requestId = answer.headers.get('x-request-id')
  const shown = receipt.parse(await (await fixture.get(`/v1/requests/${requestId}`)).json())
  expect(shown).toMatchObject({
    id: requestId,
    status: 'finished',
    usage: { input_tokens: 2, cached_input_tokens: 1, output_tokens: 3 },
    price: { input: '1.00', cached_input: '0.10', output: '4.00' },
    amount: '0.0000141',
    lines: [
      { class: 'input', tokens: 2, price: '1.00', amount: '0.000002' },
      { class: 'cached_input', tokens: 1, price: '0.10', amount: '0.0000001' },
      { class: 'output', tokens: 3, price: '4.00', amount: '0.000012' },
    ],
    cache: {
      blocks: 0,
      source: 'l1',
      last_block_hash: null,
      evaluated_tokens: 2,
      worker: 'wrk_0',
    },
  })
  expect(await answer.json()).toMatchObject({
    usage: { prompt_tokens: 3, prompt_cache_hit_tokens: 1, completion_tokens: 3 },
  })
  const balance = balanceAnswer.parse(await (await fixture.get('/v1/balance')).json())
  expect(balance).toEqual({
    object: 'balance',
    currency: 'USD',
    settled: shown.balance_after,
    held: '0.00',
    available: shown.balance_after,
    expiring: { total: '0.00', grants: [] },
  })
})

test('the balance says which credit ends next, and the sum of all that ends', async () => {
  await using setting = await startGateway()
  const { ledger, accountId } = setting.ledger
  const paid = { category: 'paid', priority: 100, actor: 'test', reason: '' } as const
  const soon = Date.now() + 3_600_000
  // The last of them is spent first: its priority goes before its expiry.
  for (let count = 11; count >= 0; count -= 1) {
    const terms = { expiresAt: soon + count, reference: `payment-${count}` }
    const priority = count === 11 ? 0 : paid.priority
    await ledger.administration.grant(accountId, {
      ...paid,
      ...terms,
      priority,
      amount: 10n ** 12n,
    })
  }
  const { settled, expiring } = balanceAnswer.parse(await (await setting.get('/v1/balance')).json())
  const ends = Array.from({ length: 10 }, (_, count) => new Date(soon + count).toISOString())
  expect(expiring.total).toBe('12.00')
  expect(expiring.grants.map(({ expires_at: at }) => at)).toEqual(ends)
  expect(expiring.grants.map(({ remaining }) => remaining)).toEqual(ends.map(() => '1.00'))
  expect(parseDollars(settled)).toBeGreaterThan(parseDollars(expiring.total))
})

describe('a receipt is 404', () => {
  test('for another account, alike with one that never was', async () => {
    const answer = await fixture.post(chatBody())
    const authorization = `Bearer ${fixture.ledger.otherSecret}`
    const path = `/v1/requests/${answer.headers.get('x-request-id')}`
    const others = await fixture.get(path, { authorization })
    const never = await fixture.get(`/v1/requests/${fixture.ledger.ledger.newRequestId()}`)
    expect([others.status, never.status]).toEqual([404, 404])
    expect(await others.text()).toBe(await never.text())
  })

  test.each(['x', 'req_', `req_${'z'.repeat(26)}`, 'a'.repeat(500), '%00', '__proto__'])(
    'for the id %s',
    async (id) => {
      const response = await fixture.get(`/v1/requests/${id}`)
      expect(response.status).toBe(404)
      expectErrorBody(await response.text(), { status: 404, code: 'not_found' })
    },
  )
})

test('a receipt that the views do not have yet is 503 with Retry-After, and nothing else is', async () => {
  let isBehind = false
  const behind = await startGateway({ viewsReached: async () => !isBehind })
  try {
    const answer = await behind.post(chatBody())
    const path = `/v1/requests/${answer.headers.get('x-request-id')}`
    expect((await behind.get(path)).status).toBe(200)
    isBehind = true
    const receiptAnswer = await behind.get(path)
    expect(receiptAnswer.status).toBe(503)
    expect(receiptAnswer.headers.get('retry-after')).toBe('1')
    expectErrorBody(await receiptAnswer.text(), { status: 503, code: 'view_behind' })
    for (const other of ['/v1/balance', '/v1/models', '/readyz']) {
      expect((await behind.get(other)).status, other).toBe(200)
    }
  } finally {
    await behind[Symbol.asyncDispose]()
  }
})

describe.each(['/v1', '/pro/v1'])('%s/models', (prefix) => {
  test('lists the one model, and shows it by its names', async () => {
    const list = modelList.parse(await (await fixture.get(`${prefix}/models`)).json())
    const fields = { id: 'svc-beta', object: 'model', created: 1_700_000_000, owned_by: 'svc' }
    const price = expect.objectContaining({ input: '1.00', cached_input: '0.10', output: '4.00' })
    expect(list.data).toEqual([{ ...fields, price, next_price: null }])
    const one = await fixture.get(`${prefix}/models/svc-4`)
    expect(await one.json()).toEqual(list.data[0])
    expect((await fixture.get(`${prefix}/models/gpt-4`)).status).toBe(404)
  })

  test('has the two fields of the format and no others', async () => {
    const list: object = JSON.parse(await (await fixture.get(`${prefix}/models`)).text())
    expect(Object.keys(list)).toEqual(['object', 'data'])
  })

  test('shows Codex, told by its version in the query, the model in its own terms too', async () => {
    const asked = await fixture.get(`${prefix}/models?client_version=0.169.0`)
    const list = codexModelList.strict().parse(await asked.json())
    expect(list.data.map(({ id }) => id)).toEqual(['svc-beta'])
    expect(list.models).toMatchObject([
      {
        slug: 'svc-beta',
        context_window: 8192,
        truncation_policy: { mode: 'tokens', limit: 2048 },
      },
    ])
  })

  test.each(['', '?client_version=0.169.0'])('is read by the official clients%s', async (query) => {
    const { secret } = fixture.ledger
    const baseURL = `${fixture.baseUrl}${prefix}`
    const [, version] = query.split('=')
    const options = version === undefined ? {} : { query: { client_version: version } }
    const models = await new OpenAI({ apiKey: secret, baseURL }).models.list(options)
    expect(models.data.map(({ id }) => id)).toEqual(['svc-beta'])
  })
})

describe('keys', () => {
  const secret = () => fixture.ledger.secret
  const wrong: readonly [name: string, headers: () => Record<string, string>][] = [
    ['none', () => ({ authorization: '' })],
    ['Bearer only', () => ({ authorization: 'Bearer' })],
    ['Basic', () => ({ authorization: `Basic ${btoa('a:b')}` })],
    ['another prefix', () => ({ authorization: 'Bearer sk-live-abc' })],
    ['a wrong check', () => ({ authorization: `Bearer ${secret().slice(0, -1)}!` })],
    ['one character changed', () => ({ authorization: `Bearer ${flipped(secret())}` })],
    ['in a cookie', () => ({ authorization: '', cookie: `key=${secret()}` })],
    ['10 KB', () => ({ authorization: `Bearer ${'a'.repeat(10_000)}` })],
    ['SQL', () => ({ authorization: "Bearer ' OR 1=1 --" })],
    ['x-api-key, wrong', () => ({ authorization: '', 'x-api-key': 'sk-svc-x' })],
    [
      'x-api-key behind a wrong Bearer',
      () => ({ authorization: 'Bearer x', 'x-api-key': secret() }),
    ],
  ]
  const flipped = (text: string) => text.slice(0, -1) + (text.endsWith('A') ? 'B' : 'A')

  test.each(wrong)('%s: the one 401', async (_name, headers) => {
    const response = await fixture.get('/v1/models', headers())
    const text = await response.text()
    expect(response.status).toBe(401)
    expect(response.headers.get('x-should-retry')).toBe('false')
    const reference = await fixture.get('/v1/balance', { authorization: 'Bearer x' })
    expect(text).toBe(await reference.text())
    expectErrorBody(text, { status: 401, code: 'invalid_api_key' })
  })

  test.each([
    ['bearer in lower case', () => ({ authorization: `bearer ${secret()}` })],
    ['x-api-key', () => ({ authorization: '', 'x-api-key': secret() })],
  ])('%s is accepted', async (_name, headers) => {
    const given = headers()
    const { authorization, ...rest } = given
    const sent = authorization === '' ? rest : given
    const response = await fetch(`${fixture.baseUrl}/v1/models`, { headers: sent })
    expect(response.status).toBe(200)
  })

  test('a revoked key is refused at once', async () => {
    const { ledger, otherAccountId } = fixture.ledger
    const { keyId, secret } = await ledger.administration.createKey(otherAccountId, {
      name: 'lost',
      actor: 'test',
    })
    await ledger.administration.revokeKey(otherAccountId, { keyId, reason: 'test', actor: 'test' })
    const headers = { authorization: `Bearer ${secret}` }
    expect((await fixture.post(chatBody(), headers)).status).toBe(401)
  })

  test('no key is needed to be alive, and none is ever shown', async () => {
    for (const path of ['/livez', '/health', '/readyz', '/']) {
      const response = await fetch(`${fixture.baseUrl}${path}`)
      expect(response.status).toBe(200)
      expect(response.headers.get('x-request-id')).toMatch(/^req_/)
      expect(await response.text()).not.toContain('sk-svc-')
    }
  })
})

test.each(['/v1/balance', '/v1/requests/req_x', '/v1/models', '/readyz', '/nothing', '/'])(
  'no cache on the way may keep what %s answers',
  async (path) => {
    const response = await fixture.get(path)
    expect(response.headers.get('cache-control')).toBe('no-store')
  },
)

test('the page says what this is, and runs nothing', async () => {
  const response = await fetch(`${fixture.baseUrl}/`)
  const text = await response.text()
  expect(text).toContain(`http://127.0.0.1:${fixture.port}/v1`)
  expect(text).toContain('toy')
  expect(text).not.toMatch(/<script|https?:\/\/(?!127)/)
  const policy = response.headers.get('content-security-policy')
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'/)
})
