/** Keys that are made in the dashboard, and its chat, against the public API of the same server. */
import { setTimeout as pause } from 'node:timers/promises'
import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { type DashboardServer, startDashboard } from '@svc/testing/dashboard-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

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
