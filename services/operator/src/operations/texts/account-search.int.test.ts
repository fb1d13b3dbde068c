import { rootCaller } from '@svc/contracts/admin/caller'
import type { Operations } from '@svc/contracts/admin/operations'
import { START } from '@svc/contracts/ports/event-store'
import { openRunningService, type RunningService } from '@svc/testing/running-service'
import { beforeEach, expect, test } from 'vitest'

let service: RunningService
let operations: Operations

beforeEach(async () => {
  service = await openRunningService()
  operations = service.operationsOf(rootCaller)
})

async function opened(name: string, external_id?: string): Promise<string> {
  const terms = { name, spend_policy: 'strict', ...(external_id ? { external_id } : {}) } as const
  return (await operations.openAccount(terms)).account_id
}

/** Finds the accounts of all pages. */
async function found(text: string, limit = 100) {
  const names: string[] = []
  const pages: number[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const asked = { text, limit, ...(cursor === undefined ? {} : { cursor }) }
    const page = await operations.searchAccounts(asked)
    names.push(...page.accounts.map(({ name }) => name))
    pages.push(page.accounts.length)
    cursor = page.next_cursor
  }
  return { names, pages }
}

test('by any part of the name or of the external id, whatever the capitals', async () => {
  await opened('Ada Lovelace', 'crm-1')
  await opened('Grace Hopper', 'CRM-22')
  await opened('Zoë')
  expect((await found('LOVE')).names).toEqual(['Ada Lovelace'])
  expect((await found('crm-')).names).toEqual(['Ada Lovelace', 'Grace Hopper'])
  expect((await found('22')).names).toEqual(['Grace Hopper'])
  expect((await found('Zoe\u0308')).names).toEqual(['Zoë'])
  for (const nothing of ['Bob', '%', '_', 'text:', 'erased']) {
    expect((await found(nothing)).names).toEqual([])
  }
})

test('by the id of its key, of its grant, or of what a correction gave it', async () => {
  const account_id = await opened('Ada')
  await opened('Grace')
  const credit = { account_id, reason: 'paid', reference: null, expires_at: null } as const
  const terms = { amount: '5', category: 'paid', priority: 0 } as const
  const { grant_id } = await operations.grant({ ...credit, ...terms })
  const change = { account_id, reason: 'goodwill', reference: null, category: 'paid' } as const
  const { id: adjustment } = await operations.adjust({ ...change, amount: '1' })
  const { key_id } = await operations.createKey({ account_id, name: 'k', expires_at: null })
  for (const id of [account_id, key_id, grant_id, adjustment]) {
    expect(await found(id)).toEqual({ names: ['Ada'], pages: [1] })
  }
  expect((await found(`${grant_id}0`)).names).toEqual([])
})

test('a renamed account by its name of today, and an erased one by none', async () => {
  const account_id = await opened('Ada', 'ada@example.com')
  await operations.renameAccount({ account_id, name: 'Grace', reason: 'married' })
  expect([(await found('ada')).names, (await found('grace')).names]).toEqual([['Grace'], ['Grace']])
  await operations.eraseTexts({ account_id, reason: 'she asked' })
  for (const text of ['ada', 'grace']) expect((await found(text)).names).toEqual([])
})

test('page by page, each account once, with few looked at for one answer', async () => {
  const names = Array.from({ length: 1_150 }, (_, i) => `customer ${i} of ${i % 3 ? 'x' : 'three'}`)
  for (const name of names) await opened(name)
  const wanted = names.filter((name) => name.endsWith('three'))
  const all = await found('THREE')
  expect(all.names).toEqual(wanted)
  expect(Math.max(...all.pages)).toBe(100)
})

test('as many accounts as are looked at together leave no empty answer behind them', async () => {
  const nowMs = Date.now()
  service = await openRunningService({ clock: { nowMs: () => nowMs } })
  operations = service.operationsOf(rootCaller)
  for (let i = 0; i < 1_000; i += 1) await opened(`customer ${i} of us`)
  expect((await found('customer 999 ')).pages).toEqual([1])
})

test('the first search reads names as long as it may for an answer, the next has them', async () => {
  let nowMs = Date.now()
  // Each look at the clock is one between two groups of a hundred.
  service = await openRunningService({ clock: { nowMs: () => (nowMs += 40) } })
  operations = service.operationsOf(rootCaller)
  for (let i = 0; i < 1_150; i += 1) await opened(`customer ${i} of us`)
  const rare = () => found('customer 1149 ')
  const first = await rare()
  expect(first.names).toEqual(['customer 1149 of us'])
  expect(first.pages.length).toBeGreaterThan(2)
  expect(first.pages.length).toBeLessThan(8)
  expect(await rare()).toEqual({ names: ['customer 1149 of us'], pages: [1] })
})

test('the first search is one answer where names are read fast', async () => {
  const nowMs = Date.now()
  service = await openRunningService({ clock: { nowMs: () => nowMs } })
  operations = service.operationsOf(rootCaller)
  for (let i = 0; i < 1_150; i += 1) await opened(`customer ${i} of us`)
  expect((await found('customer 1149 ')).pages).toEqual([1])
})

test('a cursor of another search, a forged one and bounds are refused', async () => {
  for (const name of ['Ada 1', 'Ada 2']) await opened(name)
  const { next_cursor } = await operations.searchAccounts({ text: 'ada', limit: 1 })
  const refused = { code: 'invalid_value', param: 'cursor' }
  for (const asked of [
    { text: 'bob', limit: 1, cursor: next_cursor ?? '' },
    { text: 'ada', limit: 1, cursor: `${next_cursor}x` },
  ]) {
    await expect(operations.searchAccounts(asked)).rejects.toMatchObject(refused)
  }
  for (const limit of [0, 1_000_000]) {
    const asked = { text: 'ada', limit }
    await expect(operations.searchAccounts(asked)).rejects.toMatchObject({ code: 'invalid_value' })
  }
  for (const text of ['', ' ', 'x'.repeat(201)]) {
    const asked = operations.searchAccounts({ text, limit: 1 })
    await expect(asked).rejects.toMatchObject({ code: 'invalid_value', param: 'text' })
  }
})

test('an auditor who searches leaves an event, without what was sought', async () => {
  await opened('Ada')
  const auditor = { actor: 'operator:x', role: 'auditor', tokenId: 'tok_x' } as const
  await service.operationsOf(auditor).searchAccounts({ text: 'Ada', limit: 1 })
  const events = await service.store.readAll({ after: START, limit: 100 })
  const [read] = events.filter(({ type }) => type === 'RecordsRead')
  expect(read?.data).toContain('searchAccounts')
  expect(read?.data).not.toContain('Ada')
})
