/** Keys that are made in the dashboard, and its chat, against the public API of the same server. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { AccountDetails } from '@svc/contracts/admin/accounts'
import type { StatementPage } from '@svc/contracts/admin/billing'
import type { EventPage, LoggedEvent } from '@svc/contracts/admin/events'
import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { type DashboardServer, startDashboard } from '@svc/testing/dashboard-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
/** The same texts as those that the pages show: a test of theirs compares them. */
const EXAMPLES = join(import.meta.dirname, '../../examples')

let dashboard: DashboardServer
let path: string
beforeAll(async () => {
  dashboard = await startDashboard()
  path = `/accounts/${dashboard.accountId}`
})
afterAll(() => dashboard[Symbol.asyncDispose]())

type NewKey = DashboardOutput<'createAccountKey'>
type Receipt = DashboardOutput<'receipt'>

const newKey = (name: string) => dashboard.owner.json<NewKey>('POST', `${path}/keys`, { name })

async function statusWith(secret: string): Promise<number> {
  const headers = { authorization: `Bearer ${secret}` }
  return (await fetch(`${dashboard.baseUrl}/v1/balance`, { headers })).status
}

const question = {
  model: 'svc-beta',
  temperature: 0,
  max_tokens: 20,
  messages: [{ role: 'user', content: 'How much is this, however it is asked?' }],
}

describe('a key that is rotated', () => {
  test('works beside the new one for the overlap, and is refused behind it', async () => {
    const old = await newKey('overlapping')
    const rotated = await dashboard.owner.json<DashboardOutput<'rotateAccountKey'>>(
      'POST',
      `${path}/keys/${old.key_id}/rotate`,
      { overlap_seconds: 2 },
    )
    expect([await statusWith(old.secret), await statusWith(rotated.secret)]).toEqual([200, 200])
    await pause(Date.parse(rotated.old_key_ends_at) - Date.now() + 1)
    expect([await statusWith(old.secret), await statusWith(rotated.secret)]).toEqual([401, 200])
    const keys = await dashboard.owner.json<DashboardOutput<'listAccountKeys'>>(
      'GET',
      `${path}/keys`,
    )
    expect(keys.find(({ key_id }) => key_id === old.key_id)?.status).toBe('expired')
  })

  test('is rotated once, however often it is asked for', async () => {
    const old = await newKey('turned')
    const ask = () =>
      dashboard.owner.ask('POST', `${path}/keys/${old.key_id}/rotate`, {
        overlap_seconds: 60,
        idempotency_key: 'the same',
      })
    const count = async () => (await dashboard.owner.json<unknown[]>('GET', `${path}/keys`)).length
    expect((await ask()).status).toBe(200)
    const keys = await count()
    const again = await ask()
    expect([again.status, await again.text()]).toEqual([409, expect.stringContaining('was made')])
    expect(await count()).toBe(keys)
  })

  test('without an overlap is refused at once', async () => {
    const old = await newKey('replaced')
    await dashboard.owner.json('POST', `${path}/keys/${old.key_id}/rotate`, { overlap_seconds: 0 })
    expect(await statusWith(old.secret)).toBe(401)
  })
})

test('a key that is asked for twice is made once', async () => {
  const { owner } = dashboard
  const ask = (name: string, once: string) =>
    owner.ask('POST', `${path}/keys`, { name, idempotency_key: once })
  const first = (await (await ask('once', 'try 1')).json()) as NewKey
  const again = await ask('once', 'try 1')
  expect(again.status).toBe(409)
  const said = await again.text()
  expect(said).toContain(first.key_id)
  expect(said).not.toContain(first.secret)
  expect((await ask('once', 'try 2')).status).toBe(200)
  const keys = await owner.json<DashboardOutput<'listAccountKeys'>>('GET', `${path}/keys`)
  expect(keys.filter(({ name }) => name === 'once')).toHaveLength(2)
  expect(await statusWith(first.secret)).toBe(200)
})

test('a key says which user made it, and of an operator no more than that: UX-20', async () => {
  const { owner, apiKey } = dashboard
  const mine = await newKey('of a user')
  const keys = await owner.json<DashboardOutput<'listAccountKeys'>>('GET', `${path}/keys`)
  const [member] = await owner.json<DashboardOutput<'listMembers'>>('GET', `${path}/members`)
  expect(keys.find(({ key_id }) => key_id === mine.key_id)?.created_by).toBe(member?.user_id)
  // The first start made it, before there was anybody.
  const first = keys.find(({ last_four: end }) => apiKey.endsWith(end))
  expect(first?.created_by).toBeNull()
  const account = await owner.json<AccountDetails>('GET', `/admin${path}`)
  const shown = account.keys.find(({ key_id }) => key_id === mine.key_id)
  expect(shown?.created_by).toBe(`user:${member?.user_id}`)
})

test.each([
  ['curl/first-call.sh', 'bash', ['-c']],
  ['openai-node/first-call.mjs', process.execPath, ['--input-type=module', '--eval']],
])('what the pages show to paste is answered: %s', async (file, command, words) => {
  const text = readFileSync(join(EXAMPLES, file), 'utf8')
  const program = text.replaceAll('http://127.0.0.1:8080', dashboard.baseUrl)
  const { stdout } = await run(command, [...words, program], {
    env: { PATH: process.env.PATH, SVC_KEY: dashboard.apiKey },
    timeout: 60_000,
  })
  expect(stdout.trim()).not.toBe('')
  if (file.startsWith('curl')) expect(JSON.parse(stdout)).toHaveProperty('choices.0.message')
})

test('a grant and an adjustment lead to when they were: UX-31', async () => {
  const { owner } = dashboard
  const account = `/admin${path}`
  const { grants } = await owner.json<AccountDetails>('GET', account)
  const granted = await owner.json('GET', `${path}/events/${grants[0]?.grant_id}`)
  expect(granted).toMatchObject({ type: 'CreditGranted', at: grants[0]?.granted_at })
  const change = { amount: '0.01', reason: 'a test' }
  await owner.ask('POST', `${account}/adjustments`, change, { 'idempotency-key': 'adjusted-1' })
  const { rows } = await owner.json<StatementPage>('GET', `${account}/statement?limit=1000`)
  const entry = rows.find(({ type }) => type === 'adjustment')
  const adjusted = await owner.json('GET', `${path}/events/${entry?.reference}`)
  expect(adjusted).toEqual({ type: 'BalanceAdjusted', at: entry?.at, request_id: null })
  const missing = await owner.ask('GET', `${path}/events/grant_${'0'.repeat(26)}`)
  expect(missing.status).toBe(404)
  const cut = await owner.ask('GET', `${path}/events/grant_0`)
  expect(await cut.text()).toContain(
    'must be the whole id of a grant, an adjustment, a refund or an event',
  )
})

/** Asks with the account's key. @returns the id of the request */
async function askedByKey(): Promise<string | null> {
  const { baseUrl, apiKey } = dashboard
  const answer = await fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(question),
  })
  return answer.headers.get('x-request-id')
}

test('a refund leads to when it was, for its customer and for the operator: UX-31', async () => {
  const { owner } = dashboard
  const requestId = await askedByKey()
  const change = { amount: null, reason: 'a test' }
  const key = { 'idempotency-key': 'refunded-1' }
  await owner.ask('POST', `/admin${path}/requests/${requestId}/refund`, change, key)
  const { refunds } = await owner.json<Receipt>('GET', `${path}/requests/${requestId}`)
  const [refund] = refunds
  const found = await owner.json('GET', `${path}/events/${refund?.refund_id}`)
  expect(found).toEqual({ type: 'CreditRefunded', at: refund?.at, request_id: requestId })
  const logged = await owner.json<LoggedEvent>('GET', `/admin/events/${refund?.refund_id}`)
  expect(logged).toMatchObject({ data: { refundId: refund?.refund_id } })
  const missing = await owner.ask('GET', `${path}/events/refund_${'0'.repeat(26)}`)
  expect(missing.status).toBe(404)
})

test('an event leads to its request, and that of another account to nothing: UX-31', async () => {
  const { owner } = dashboard
  const requestId = await askedByKey()
  const { events } = await owner.json<Receipt>('GET', `${path}/requests/${requestId}`)
  const [accepted] = events
  const found = await owner.json('GET', `${path}/events/${accepted?.id}`)
  expect(found).toMatchObject({ type: 'RequestAccepted', request_id: requestId })
  const logged = await owner.json<LoggedEvent>('GET', `/admin/events/${accepted?.id}`)
  expect(logged).toMatchObject({ hash: accepted?.hash, stream: `account-${dashboard.accountId}` })
  const { account_id: theirs } = await owner.json<{ account_id: string }>(
    'POST',
    '/admin/accounts',
    { name: 'of somebody else', spend_policy: 'standard' },
  )
  const foreign = await owner.json<EventPage>(
    'GET',
    `/admin/events?stream=account-${theirs}&limit=1`,
  )
  const refused = await owner.ask('GET', `${path}/events/${foreign.events[0]?.id}`)
  expect(refused.status).toBe(404)
})

test('a file leaves an event, whether a user takes it or a program: UX-33', async () => {
  const period = 'from=2026-11-01&as=jsonl'
  const names = ['statement', 'requests', 'usage']
  for (const name of names) {
    const taken = await dashboard.owner.ask('GET', `${path}/exports/${name}?${period}`)
    expect([taken.status, (await taken.text()).length > 0]).toEqual([200, true])
  }
  expect((await dashboard.owner.ask('GET', `${path}/exports/usage?from=never`)).status).toBe(400)
  const headers = { authorization: `Bearer ${dashboard.apiKey}` }
  const byKey = await fetch(`${dashboard.baseUrl}/v1/exports/usage?from=2026-10-01`, { headers })
  expect(byKey.status).toBe(200)
  const { events } = await dashboard.owner.json<{
    events: { data: { operation: string; subject: object }; metadata: { actor: string } }[]
  }>('GET', '/admin/events?limit=1000&stream=audit&type=RecordsRead')
  const taken = events.filter(({ data }) => data.operation.startsWith('export'))
  expect(taken.map(({ data }) => data.operation)).toEqual([
    'exportStatement',
    'exportRequests',
    'exportUsage',
    'exportUsage',
  ])
  const subject = { account_id: dashboard.accountId, from: '2026-11-01', to: null }
  const byProgram = taken.pop()
  for (const { data, metadata } of taken) {
    expect(data.subject).toEqual(subject)
    expect(metadata.actor).toMatch(/^user:/)
  }
  expect(byProgram?.data.subject).toEqual({ ...subject, from: '2026-10-01' })
  expect(byProgram?.metadata.actor).toMatch(/^key_/)
})

test('the chat costs what the same request costs with a key', async () => {
  const withKey = async (): Promise<string> => {
    const answer = await fetch(`${dashboard.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${dashboard.apiKey}`,
      },
      body: JSON.stringify(question),
    })
    expect(answer.status).toBe(200)
    return ((await answer.json()) as { id: string }).id
  }
  const receiptOf = (id: string) =>
    dashboard.owner.json<Receipt>('GET', `${path}/requests/${encodeURIComponent(id)}`)
  // So that both find the same in the cache.
  await withKey()
  const byKey = await withKey()
  const asked = await dashboard.owner.json<{ id: string }>(
    'POST',
    `${path}/chat/completions`,
    question,
  )
  const [paid, ofChat] = [await receiptOf(byKey), await receiptOf(asked.id)]
  const { input_tokens: input, output_tokens: output } = paid.usage ?? {}
  expect(input).toBeGreaterThan(0)
  expect(output).toBeGreaterThan(0)
  const charged = ({ usage, price, lines, amount, hold, status }: Receipt) => {
    return { usage, price, lines, amount, hold, status }
  }
  expect(charged(ofChat)).toEqual(charged(paid))
  expect(Number(paid.amount)).toBeGreaterThan(0)
  const statement = await dashboard.owner.json<DashboardOutput<'accountStatement'>>(
    'GET',
    `${path}/statement`,
  )
  const debits = statement.data
    .filter(({ reference }) => [paid.id, ofChat.id].includes(reference))
    .map(({ debit }) => debit)
  expect(debits).toEqual([paid.amount, paid.amount])
})

test('the chat on an empty balance is 402, holds nothing, and goes on when there is credit', async () => {
  const { owner } = dashboard
  const ask = () => owner.ask('POST', `${path}/chat/completions`, question)
  const balance = () => owner.json<DashboardOutput<'accountBalance'>>('GET', `${path}/balance`)
  const adjust = (amount: string, once: string) =>
    owner.ask(
      'POST',
      `/admin${path}/adjustments`,
      { amount, reason: 'a test' },
      {
        'idempotency-key': once,
      },
    )
  const { settled } = await balance()
  await adjust(`-${settled}`, 'emptied')
  const refused = await ask()
  expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([402, 'false'])
  expect(await refused.json()).toMatchObject({ error: { code: 'insufficient_quota' } })
  expect(await balance()).toMatchObject({ settled: '0.00', held: '0.00' })
  await adjust(settled, 'filled')
  expect((await ask()).status).toBe(200)
})
