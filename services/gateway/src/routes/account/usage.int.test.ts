/** What an account used, and the key itself, over HTTP. */
import { parseDollars } from '@svc/contracts/money'
import { balanceAnswer } from '@svc/contracts/wire/billing'
import { requestsAnswer, requestTotalsAnswer } from '@svc/contracts/wire/requests'
import { statementAnswer } from '@svc/contracts/wire/statement'
import { keyAnswer, usageAnswer } from '@svc/contracts/wire/usage'
import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectErrorBody } from '../../../testing/oracle.ts'
import { sendRaw } from '../../../testing/raw-socket.ts'

const REQUESTS = 3
const DAY_MS = 86_400_000

let fixture: GatewayFixture
let before: bigint

beforeAll(async () => {
  fixture = await startGateway({ script: { tokens: 3, cachedTokens: 1 } })
  before = await settled()
  for (let i = 0; i < REQUESTS; i += 1) {
    const answer = await fixture.post(chatBody())
    await answer.text()
  }
})
afterAll(() => fixture[Symbol.asyncDispose]())

const other = () => ({ authorization: `Bearer ${fixture.ledger.otherSecret}` })

async function settled(): Promise<bigint> {
  const { settled: amount } = balanceAnswer.parse(await (await fixture.get('/v1/balance')).json())
  return parseDollars(amount)
}

async function usage(query = '', headers = {}) {
  const answer = await fixture.get(`/v1/usage${query}`, headers)
  expect(answer.status, await answer.clone().text()).toBe(200)
  return usageAnswer.strict().parse(await answer.json())
}

test('usage without a question is that of the last 30 days, and is what was debited: UX-17', async () => {
  const spent = before - (await settled())
  const tomorrow = () => (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS
  const expected = tomorrow()
  const { total, data, zone, by, from, to } = await usage()
  expect({ zone, by }).toEqual({ zone: 'UTC', by: 'day' })
  expect([expected, tomorrow()]).toContain(Date.parse(to))
  expect(Date.parse(to) - Date.parse(from)).toBe(30 * DAY_MS)
  expect(total.requests).toBe(REQUESTS)
  expect(parseDollars(total.amount)).toBe(spent)
  expect(data.reduce((sum, { amount }) => sum + parseDollars(amount), 0n)).toBe(spent)
  expect(total.lines).toEqual([
    { class: 'input', tokens: 2 * REQUESTS, amount: '0.000006' },
    { class: 'cached_input', tokens: REQUESTS, amount: '0.0000003' },
    { class: 'output', tokens: 3 * REQUESTS, amount: '0.000036' },
  ])
})

test.each([
  '/v1/usage',
  '/v1/requests',
  '/v1/requests/totals',
  '/v1/statement',
  '/v1/exports/usage?as=csv',
  '/v1/evidence',
])('a question in the body of a GET of %s is refused, not answered without it', async (path) => {
  const body = '{"from":"2026-11-01"}'
  const head = `authorization: Bearer ${fixture.ledger.secret}\r\nhost: x\r\nconnection: close`
  const length = `content-length: ${body.length}`
  const bytes = `GET ${path} HTTP/1.1\r\n${head}\r\n${length}\r\n\r\n${body}`
  const answer = await sendRaw(fixture.port, bytes)
  expectErrorBody(answer.body, { status: answer.status, code: 'invalid_request', param: null })
  expect(answer.status).toBe(400)
})

test('usage is divided as it is asked', async () => {
  const { data } = await usage('?group_by=key,format,class&by=15min&zone=Asia/Kathmandu')
  expect(data.map((row) => row.class)).toEqual(['input', 'cached_input', 'output'])
  for (const row of data) {
    expect(row).toMatchObject({ format: 'chat', requests: null })
    expect(row.key).toMatchObject({ name: expect.any(String) })
    expect(row.from).toMatch(/\+05:45$/)
  }
})

test('of another account nothing is shown, whatever is asked: UX-17', async () => {
  const own = await usage('?group_by=key')
  const keyId = own.data[0]?.key?.id
  const theirs = await usage('', other())
  expect(theirs.data).toEqual([])
  expect(theirs.total).toMatchObject({ requests: 0, amount: '0.00' })
  await expectNoKey(`/v1/usage?key_id=${keyId}`, other())
})

test.each([
  '/v1/usage?',
  '/v1/requests?',
  '/v1/requests/totals?',
  '/v1/exports/usage?as=csv&',
  '/v1/exports/requests?as=csv&',
])('a key that the account does not have is refused by %s, not taken for an idle one', (path) =>
  expectNoKey(`${path}key_id=key_mistyped`),
)

async function expectNoKey(path: string, headers = {}): Promise<void> {
  const answer = await fixture.get(path, headers)
  const expected = { status: 404, code: 'not_found', param: 'key_id' }
  expectErrorBody(await answer.text(), expected)
  expect(answer.status).toBe(404)
}

describe('a question that cannot be answered is 400 and names the field', () => {
  test.each([
    ['zone=Mars/Phobos', 'zone'],
    ['zone=', 'zone'],
    ['from=2026-11-10&to=2026-11-01', 'from'],
    ['from=2026-11-01&to=2026-11-01', 'from'],
    ['from=1999-12-31', 'from'],
    ['from=yesterday', 'from'],
    ['from=2026-02-30', 'from'],
    ['to=2026-11-01T00:00:01Z', 'to'],
    ['limit=0', 'limit'],
    ['limit=1000000', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=%2B1', 'limit'],
    ['limit=%201', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=1.0', 'limit'],
    ['by=week', 'by'],
    ['group_by=colour', 'group_by'],
    ['group_by=key&group_by=model', 'group_by'],
    ['groupby=key', 'groupby'],
    ['format=telegram', 'format'],
    ['cursor=0.0000000000000000', 'cursor'],
    [`cursor=${'x'.repeat(300)}`, 'cursor'],
  ])('%s', async (query, param) => {
    const answer = await fixture.get(`/v1/usage?${query}`)
    expect(answer.status).toBe(400)
    const text = await answer.text()
    expectErrorBody(text, { status: 400, code: 'invalid_value' })
    expect(JSON.parse(text).error.param).toBe(param)
  })
})

test('a key is told its name, when it was last used, and what it spent', async () => {
  const spent = before - (await settled())
  const key = keyAnswer.strict().parse(await (await fixture.get('/v1/key')).json())
  expect(key.requests).toBe(REQUESTS)
  expect(parseDollars(key.spent)).toBe(spent)
  expect(Date.parse(key.last_used_at ?? '')).toBeGreaterThanOrEqual(Date.parse(key.created_at))
  const unused = keyAnswer.parse(await (await fixture.get('/v1/key', other())).json())
  expect(unused).toMatchObject({ requests: 0, spent: '0.00', last_used_at: null })
})

test('requests are listed with what they cost, to their own account only', async () => {
  const list = async (query: string, headers = {}) => {
    const answer = await fixture.get(`/v1/requests${query}`, headers)
    expect(answer.status, await answer.clone().text()).toBe(200)
    return requestsAnswer.strict().parse(await answer.json())
  }
  const first = await list('?limit=2&status=finished')
  expect(first.data).toHaveLength(2)
  const next = `?limit=2&status=finished&cursor=${first.next_cursor}`
  const rest = await list(next)
  expect(rest.data.length).toBeGreaterThan(0)
  const spent = before - (await settled())
  const all = await list('')
  expect(all.data.reduce((sum, { amount }) => sum + parseDollars(amount), 0n)).toBe(spent)
  expect((await list('?status=failed')).data).toEqual([])
  expect((await list('', other())).data).toEqual([])
  for (const [query, headers] of [
    [next, other()],
    ['?limit=0', {}],
    ['?limit=1000000', {}],
    ['?status=lost', {}],
    ['?from=2026-11-02&to=2026-11-01', {}],
    ['?zone=Nowhere', {}],
  ] as const) {
    const answer = await fixture.get(`/v1/requests${query}`, headers)
    expect(answer.status, query).toBe(400)
    expectErrorBody(await answer.text(), { status: 400, code: 'invalid_value' })
  }
})

test('what requests come to is what their list adds up to, by status: UX-32', async () => {
  const totals = async (query: string, headers = {}) => {
    const answer = await fixture.get(`/v1/requests/totals${query}`, headers)
    expect(answer.status, await answer.clone().text()).toBe(200)
    return requestTotalsAnswer.strict().parse(await answer.json())
  }
  const spent = before - (await settled())
  const all = await totals('')
  expect(parseDollars(all.total.amount)).toBe(spent)
  expect(all).toMatchObject({ zone: 'UTC', from: null, to: null })
  expect(all.data).toEqual([{ status: 'finished', ...all.total }])
  expect(await totals('?status=finished&from=2020-01-01&to=2999-01-01')).toMatchObject({
    from: '2020-01-01T00:00:00Z',
    to: '2999-01-01T00:00:00Z',
    data: all.data,
  })
  for (const query of ['?status=failed', '?format=messages', '?to=2020-01-01']) {
    expect((await totals(query)).total).toMatchObject({ requests: 0, amount: '0.00' })
  }
  expect((await totals('', other())).data).toEqual([])
  for (const query of ['?limit=2', '?from=2026-11-02&to=2026-11-01', '?zone=Nowhere']) {
    const answer = await fixture.get(`/v1/requests/totals${query}`)
    expect(answer.status, query).toBe(400)
    expectErrorBody(await answer.text(), { status: 400, code: 'invalid_value' })
  }
})

test('the statement opens, moves and closes at the balance, page by page', async () => {
  const page = async (query: string) => {
    const answer = await fixture.get(`/v1/statement${query}`)
    expect(answer.status, await answer.clone().text()).toBe(200)
    return statementAnswer.strict().parse(await answer.json())
  }
  const first = await page('?limit=2')
  const rest = await page(`?limit=1000&cursor=${first.next_cursor}`)
  expect(first.opening).toBe('0.00')
  expect(rest.opening).toBe(first.closing)
  expect(rest.has_more).toBe(false)
  expect(parseDollars(rest.closing)).toBe(await settled())
  const usage = [...first.data, ...rest.data].filter(({ type }) => type === 'usage')
  expect(usage.length).toBeGreaterThanOrEqual(REQUESTS)
  for (const row of usage) {
    expect(row).toMatchObject({ format: 'chat', model: 'svc-beta', debit: row.paid })
    expect(row.tokens).toEqual({ input: 2, cached_input: 1, output: 3 })
    expect(row.price_version).toMatch(/^price_/)
    expect(row.key?.id).toMatch(/^key_/)
  }
  const others = await fixture.get(`/v1/statement?limit=2&cursor=${first.next_cursor}`, other())
  expect(others.status).toBe(400)
  expect((await fixture.get('/v1/statement?limit=0')).status).toBe(400)
})

test('the newest first, a statement goes on from the closing balance to the opening one', async () => {
  const page = async (query: string) => {
    const answer = await fixture.get(`/v1/statement?order=newest${query}`)
    expect(answer.status, await answer.clone().text()).toBe(200)
    return statementAnswer.strict().parse(await answer.json())
  }
  const whole = statementAnswer.parse(await (await fixture.get('/v1/statement')).json())
  const first = await page('&limit=2')
  const rest = await page(`&limit=1000&cursor=${first.next_cursor}`)
  expect([...first.data, ...rest.data]).toEqual(whole.data.toReversed())
  expect([first.closing, rest.closing, rest.opening]).toEqual([
    whole.closing,
    first.opening,
    whole.opening,
  ])
  expect(rest).toMatchObject({ has_more: false, next_cursor: null })
  // A place in one order is none in the other.
  const turned = await fixture.get(`/v1/statement?limit=2&cursor=${first.next_cursor}`)
  expect(turned.status).toBe(400)
  expect((await fixture.get('/v1/statement?order=largest')).status).toBe(400)
})

test.each(['statement', 'usage', 'requests/totals'])(
  '%s says whether its period is over',
  async (path) => {
    const over = async (query: string) => {
      const answer = await fixture.get(`/v1/${path}${query}`)
      return ((await answer.json()) as { over: boolean }).over
    }
    expect(await over('')).toBe(false)
    expect(await over('?from=2026-01-01&to=2999-01-01')).toBe(false)
    expect(await over('?from=2026-01-01&to=2026-02-01')).toBe(true)
  },
)

test('the receipt is found by the id of the answer as well', async () => {
  const answer = await fixture.post(chatBody())
  const { id } = (await answer.json()) as { id: string }
  expect(id).toMatch(/^chatcmpl-/)
  const own = answer.headers.get('x-request-id')
  for (const name of [id, `resp_${own?.slice(4)}`, `msg_${own?.slice(4)}`]) {
    expect(await (await fixture.get(`/v1/requests/${name}`)).json()).toMatchObject({ id: own })
  }
  expect((await fixture.get(`/v1/requests/${id}`, other())).status).toBe(404)
  expect((await fixture.get(`/v1/requests/call_${own?.slice(4)}`)).status).toBe(404)
})

test('a request of the list says what of its charge went back', async () => {
  await using setting = await startGateway({ script: { tokens: 3 } })
  const requestId = (await setting.post(chatBody())).headers.get('x-request-id') ?? ''
  const { ledger, accountId } = setting.ledger
  const listed = async () => {
    const { data } = requestsAnswer.parse(await (await setting.get('/v1/requests')).json())
    return data.map(({ refunded }) => refunded)
  }
  await expect.poll(listed).toEqual(['0.00'])
  const change = { requestId, amount: 5_000_000n, reference: null, reason: '', actor: 'test' }
  await ledger.administration.refund(accountId, change)
  await expect.poll(listed).toEqual(['0.000005'])
})
