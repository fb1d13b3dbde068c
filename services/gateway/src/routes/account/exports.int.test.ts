/** Files of an account, over HTTP: whole, provable by their own hash, safe in a spreadsheet. */
import { hash } from 'node:crypto'
import { parseDollars } from '@svc/contracts/money'
import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { expectErrorBody } from '../../../testing/oracle.ts'

const FORMULA = '=HYPERLINK("http://x")'
/** How many requests there are: more than the rows that are read in one step. */
const REQUESTS = 60

let fixture: GatewayFixture

beforeAll(async () => {
  fixture = await startGateway({ script: { tokens: 3, cachedTokens: 1 } })
  const { ledger, accountId } = fixture.ledger
  const keyId = (await ledger.account(accountId)).keys[0]?.keyId ?? ''
  await ledger.administration.renameKey(accountId, {
    keyId,
    name: FORMULA,
    reason: 'for a test',
    actor: 'operator',
  })
  for (let i = 0; i < REQUESTS; i += 1) {
    const answer = await fixture.post(chatBody())
    await answer.text()
  }
})
afterAll(() => fixture[Symbol.asyncDispose]())

const other = () => ({ authorization: `Bearer ${fixture.ledger.otherSecret}` })

async function file(path: string, headers = {}): Promise<string> {
  const answer = await fixture.get(`/v1/exports/${path}`, headers)
  const body = await answer.text()
  expect(answer.status, body).toBe(200)
  return body
}

interface Line {
  readonly type?: string
  readonly amount?: string
  readonly debit?: string
  readonly credit?: string
  readonly [name: string]: unknown
}

/** Splits a file of JSON Lines into its head, its rows as they stand there, and its end. */
function partsOf(text: string) {
  const lines = text.trimEnd().split('\n')
  const rows = lines.slice(1, -1)
  const parsed = (line = '') => JSON.parse(line) as Line
  return { head: parsed(lines[0]), rows: rows.map(parsed), raw: rows, end: parsed(lines.at(-1)) }
}

const shaOf = (lines: readonly string[]) =>
  hash('sha256', lines.map((line) => `${line}\n`).join(''), 'hex')

const sum = (rows: readonly Line[], name: 'amount' | 'debit' | 'credit') =>
  rows.reduce((total, row) => total + parseDollars(row[name] ?? '0'), 0n)

/** Cells of a line of CSV in which nothing is quoted but the last cells. */
const cells = (line: string) => line.split(',')

test('a statement says what it is of, and opening + rows = closing: UX-14, UX-33', async () => {
  const { head, rows, raw, end } = partsOf(await file('statement?as=jsonl&zone=Asia/Kathmandu'))
  expect(head).toMatchObject({
    type: 'opening',
    schema: 'svc.statement/2',
    zone: 'Asia/Kathmandu',
    currency: 'USD',
    account_id: fixture.ledger.accountId,
    rows: rows.length,
    sha256: shaOf(raw),
  })
  expect(head.position).toMatch(/^\d+$/)
  const moved = sum(rows, 'credit') - sum(rows, 'debit')
  const [opening, closing] = [head.opening, end.closing] as [string, string]
  expect(parseDollars(opening) + moved).toBe(parseDollars(closing))
  expect(rows.map((row) => row.actor)).toEqual(rows.map(() => null))
})

test('requests and usage come to what the statement debits: UX-04', async () => {
  const debits = sum(partsOf(await file('statement?as=jsonl')).rows, 'debit')
  for (const path of ['requests', 'usage', 'usage?group_by=key,class']) {
    const asked = `${path}${path.includes('?') ? '&' : '?'}as=jsonl`
    const { head, rows, raw, end } = partsOf(await file(asked))
    expect(head).toMatchObject({ type: 'head', account_id: fixture.ledger.accountId })
    expect(sum(rows, 'amount')).toBe(debits)
    expect(end).toMatchObject({ type: 'end', rows: rows.length, sha256: shaOf(raw) })
    expect(parseDollars(end.amount ?? '')).toBe(debits)
  }
})

test('all requests are in the file, however many a page has, each once', async () => {
  const { rows } = partsOf(await file('requests?as=jsonl'))
  expect(new Set(rows.map(({ id }) => id)).size).toBe(REQUESTS)
  const failed = partsOf(await file('requests?as=jsonl&status=failed'))
  expect(failed.rows).toEqual([])
  expect(failed.head).toMatchObject({ filter: { status: 'failed' } })
})

test.each([
  ['requests', 'requests'],
  ['usage', 'usage?group_by=key'],
])(
  '%s as CSV: as many cells as titles, a name is no formula, an amount a number',
  async (_, path) => {
    const asked = `${path}${path.includes('?') ? '&' : '?'}as=csv`
    const answer = await fixture.get(`/v1/exports/${asked}`)
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toContain(`-${fixture.ledger.accountId}.csv"`)
    const text = await answer.text()
    const [titles = '', head = '', ...rest] = text.trimEnd().split('\r\n')
    const end = rest.pop() ?? ''
    expect(text).toContain(`"'=HYPERLINK(""http://x"")"`)
    expect(head).toMatch(/^head,.*account_id acct_.* zone UTC .*position \d+/)
    const { end: whole } = partsOf(await file(`${path}${path.includes('?') ? '&' : '?'}as=jsonl`))
    expect(end).toContain(`rows ${whole.rows} amount ${whole.amount} sha256 ${whole.sha256}`)
    expect(rest).toHaveLength(whole.rows as number)
    const amountAt = cells(titles).indexOf('amount_pico_usd') - cells(titles).length
    const pico = rest.reduce((total, line) => total + BigInt(cells(line).at(amountAt) ?? ''), 0n)
    expect(pico).toBe(parseDollars(whole.amount ?? ''))
    for (const line of rest) expect(cells(line)).toHaveLength(cells(titles).length)
  },
)

test('the page to print loads nothing and runs nothing', async () => {
  const answer = await fixture.get('/v1/exports/statement?as=html')
  const policy = answer.headers.get('content-security-policy') ?? ''
  const html = await answer.text()
  const style = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain(hash('sha256', style, 'base64'))
  expect(html).not.toMatch(/<script|src=/)
  expect(answer.headers.get('content-disposition')).toBeNull()
})

test('a file that cannot be finished is cut off, and the log says of which request and why', async () => {
  const { texts } = fixture.ledger
  const find = texts.find.bind(texts)
  let left = Infinity
  const spy = vi.spyOn(texts, 'find').mockImplementation((...asked) => {
    left -= 1
    if (left === 0) throw new Error('the text is broken')
    return find(...asked)
  })
  onTestFinished(() => spy.mockRestore())
  await file('requests?as=jsonl')
  left = spy.mock.calls.length
  const answer = await fixture.get('/v1/exports/requests?as=jsonl')
  expect(answer.status).toBe(200)
  await expect(answer.text()).rejects.toThrow('terminated')
  const told = fixture.log.filter((line) => line.includes('the text is broken'))
  expect(told.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      requestId: answer.headers.get('x-request-id'),
      msg: 'failed to finish an answer, cutting it off',
    }),
  ])
})

test('of another account nothing is in any file', async () => {
  for (const path of ['statement', 'requests', 'usage?group_by=key']) {
    const text = await file(path, other())
    expect(text).not.toContain(fixture.ledger.accountId)
    expect(text).not.toContain('HYPERLINK')
  }
})

describe('what cannot be answered is 400 and names the field, and no file begins', () => {
  test.each([
    ['statement?as=pdf', 'as'],
    ['requests?as=html', 'as'],
    ['requests?limit=3', 'limit'],
    ['usage?cursor=x', 'cursor'],
    ['usage?group_by=nothing', 'group_by'],
    ['statement?zone=Mars/Phobos', 'zone'],
    ['usage?from=2026-11-10&to=2026-11-01', 'from'],
    ['requests?from=2026-11-10&to=2026-11-01', 'from'],
  ])('%s', async (path, param) => {
    const answer = await fixture.get(`/v1/exports/${path}`)
    expect(answer.headers.get('content-disposition')).toBeNull()
    expectErrorBody(await answer.text(), { status: 400, code: 'invalid_value', param })
  })
})
