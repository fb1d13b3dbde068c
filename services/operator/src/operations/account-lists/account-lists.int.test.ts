/** Lists of accounts: each account once in the order that is asked for, and their sums. */
import { rootCaller } from '@svc/contracts/admin/caller'
import type { Operations } from '@svc/contracts/admin/operations'
import { formatExact, parseDollars } from '@svc/contracts/money'
import { openRunningService } from '@svc/testing/running-service'
import { beforeEach, expect, test } from 'vitest'

const ACCOUNTS = 23
const reason = 'a test'
/** Two differ beyond what a float can hold; many are the same. */
const amounts = ['999999.000000000001', '999999.000000000002', '5.00', '5.00', '0.000000000001']

let operations: Operations
type Order = NonNullable<Parameters<Operations['listAccounts']>[0]['order']>

beforeEach(async () => {
  operations = (await openRunningService()).operationsOf(rootCaller)
  for (let number = 0; number < ACCOUNTS; number += 1) {
    const terms = { name: `Customer ${number}`, spend_policy: 'standard' } as const
    const { account_id } = await operations.openAccount(terms)
    const amount = amounts[number % 7]
    const credit = { category: 'paid', priority: 100, expires_at: null, reference: null } as const
    if (amount !== undefined) await operations.grant({ account_id, amount, ...credit, reason })
    if (number % 5 === 0) await operations.freezeAccount({ account_id, reason })
  }
})

async function listed(order: Order, limit: number, status?: 'open' | 'frozen') {
  const all: Awaited<ReturnType<Operations['listAccounts']>>[number][] = []
  for (let after: string | undefined; ; after = all.at(-1)?.account_id) {
    const place = after === undefined ? {} : { after }
    const of = status === undefined ? {} : { status }
    const page = await operations.listAccounts({ limit, order, ...of, ...place })
    all.push(...page)
    if (page.length < limit) return all
  }
}

const names = (accounts: readonly { name: string }[]) => accounts.map(({ name }) => name)
const idsOf = (accounts: readonly { account_id: string }[]) =>
  accounts.map(({ account_id }) => account_id)

test('by age, from either end', async () => {
  const oldest = names(await listed('oldest', 4))
  expect(oldest).toEqual(Array.from({ length: ACCOUNTS }, (_, number) => `Customer ${number}`))
  expect(names(await listed('newest', 4))).toEqual(oldest.toReversed())
})

test.each(['activity', 'available', 'held', 'spent'] as const)(
  'by %s, the most first, each account on one page',
  async (order) => {
    const whole = await listed(order, 1_000)
    expect(names(whole).toSorted()).toEqual(names(await listed('oldest', 1_000)).toSorted())
    const ranks = whole.map((account) => {
      if (order === 'activity') return BigInt(Date.parse(account.last_activity_at))
      const fields = { available: 'available', held: 'held', spent: 'spent_30_days' } as const
      return parseDollars(account[fields[order]])
    })
    expect(ranks).toEqual(ranks.toSorted((a, b) => (a > b ? -1 : a < b ? 1 : 0)))
    for (const limit of [1, 5, ACCOUNTS]) {
      expect(names(await listed(order, limit))).toEqual(names(whole))
    }
  },
)

test('by name as people order names, each account on one page; of two with one name the newest first: UX-51', async () => {
  const rename = async (from: string, name: string) => {
    const accounts = await operations.listAccounts({ limit: 1_000 })
    const account_id = accounts.find((account) => account.name === from)?.account_id ?? ''
    await operations.renameAccount({ account_id, name, reason })
    return account_id
  }
  await rename('Customer 3', 'Älgen')
  await rename('Customer 4', 'alpha')
  await rename('Customer 5', 'Zulu')
  const account_id = await rename('Customer 6', 'Customer 7')
  const rest = Array.from({ length: ACCOUNTS }, (_, number) => number).filter(
    (number) => number < 3 || number > 6,
  )
  const customers = rest.flatMap((number) => (number === 7 ? [7, 7] : [number]))
  const expected = ['Älgen', 'alpha', ...customers.map((number) => `Customer ${number}`), 'Zulu']
  for (const limit of [1, 5, 1_000]) expect(names(await listed('name', limit))).toEqual(expected)
  const frozen = await listed('name', 2, 'frozen')
  expect(names(frozen)).toEqual([0, 10, 15, 20].map((n) => `Customer ${n}`).concat('Zulu'))
  expect(frozen[0]).toMatchObject({ status: 'frozen', spent_30_days: '0.00' })
  const twins = (await listed('name', 1_000)).filter(({ name }) => name === 'Customer 7')
  expect(idsOf(twins)).toEqual(idsOf(twins).toSorted().toReversed())
  expect(idsOf(twins)).toContain(account_id)
})

test('by status, those first that wait for somebody, and within one the newest: UX-51', async () => {
  const [first] = await operations.listAccounts({ limit: 1, order: 'newest', status: 'open' })
  await operations.closeAccount({
    account_id: first?.account_id ?? '',
    reason,
    remainder: 'written_off',
  })
  const whole = await listed('status', 1_000)
  const statuses = whole.map(({ status }) => status)
  expect(statuses).toEqual([
    ...Array(5).fill('frozen'),
    ...Array(ACCOUNTS - 6).fill('open'),
    'closed',
  ])
  const frozen = idsOf(whole.slice(0, 5))
  expect(frozen).toEqual(frozen.toSorted().toReversed())
  for (const limit of [1, 4]) expect(idsOf(await listed('status', limit))).toEqual(idsOf(whole))
})

test('of one status, in any order', async () => {
  for (const order of ['newest', 'available'] as const) {
    const frozen = await listed(order, 2, 'frozen')
    expect(frozen).toHaveLength(5)
    expect(frozen.every(({ status }) => status === 'frozen')).toBe(true)
    expect(await listed(order, 3, 'open')).toHaveLength(ACCOUNTS - 5)
  }
})

test('with sums that are those of the rows, exactly', async () => {
  for (const status of [undefined, 'frozen', 'open'] as const) {
    const rows = await listed('oldest', 1_000, status)
    const sum = (name: 'settled' | 'held' | 'available' | 'spent_30_days') =>
      formatExact(rows.reduce((total, row) => total + parseDollars(row[name]), 0n))
    expect(await operations.sumAccounts(status === undefined ? {} : { status })).toEqual({
      accounts: rows.length,
      damaged: 0,
      open_requests: 0,
      settled: sum('settled'),
      held: sum('held'),
      available: sum('available'),
      spent_30_days: sum('spent_30_days'),
    })
  }
})

test('a search keeps to a status, and finds an account by its whole id', async () => {
  const frozen = await operations.searchAccounts({ text: 'customer', status: 'frozen', limit: 50 })
  expect(names(frozen.accounts)).toEqual([0, 5, 10, 15, 20].map((number) => `Customer ${number}`))
  const [{ account_id: id = '' } = {}] = frozen.accounts
  const { accounts } = await operations.searchAccounts({ text: id, limit: 50 })
  expect(names(accounts)).toEqual(['Customer 0'])
  expect(accounts[0]?.spent_30_days).toBe('0.00')
})

test('a search finds the account of a key by the whole id of the key: UX-31', async () => {
  const [, { account_id = '' } = {}] = await operations.listAccounts({ limit: 5 })
  const terms = { account_id, name: 'laptop', expires_at: null } as const
  const { key_id: text } = await operations.createKey(terms)
  const found = async (status?: 'open' | 'frozen') => {
    const of = status === undefined ? {} : { status }
    return names((await operations.searchAccounts({ text, limit: 5, ...of })).accounts)
  }
  expect([await found(), await found('open'), await found('frozen')]).toEqual([
    ['Customer 1'],
    ['Customer 1'],
    [],
  ])
})
