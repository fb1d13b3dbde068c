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
