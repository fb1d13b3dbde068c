import type { ListedAccount } from '@svc/contracts/admin/accounts'
import { describe, expect, test } from 'vitest'
import { foundAccounts, sumsOf } from './found-accounts.ts'

function account(id: string, change: Partial<ListedAccount> = {}): ListedAccount {
  return {
    account_id: id,
    name: `Name of ${id}`,
    external_id: null,
    metadata: {},
    status: 'open',
    spend_policy: 'standard',
    settled: '0.00',
    held: '0.00',
    available: '0.00',
    spent_30_days: '0.00',
    open_requests: 0,
    opened_at: '2026-11-01T00:00:00Z',
    last_activity_at: '2026-11-01T00:00:00Z',
    ...change,
  }
}

const ids = (accounts: readonly ListedAccount[]) => accounts.map((each) => each.account_id)

describe('accounts that are looked for', () => {
  const accounts = [
    account('acct_1', { external_id: 'CRM-7', available: '9007199254740993.000000000001' }),
    account('acct_2', { status: 'frozen', available: '9007199254740993.000000000002' }),
    account('acct_3', { name: 'Zuse', available: '-1.00' }),
  ]

  test('are found by name, id and external id, in any case', () => {
    expect(ids(foundAccounts(accounts, { find: ' zUSE ' }))).toEqual(['acct_3'])
    expect(ids(foundAccounts(accounts, { find: 'ACCT_2' }))).toEqual(['acct_2'])
    expect(ids(foundAccounts(accounts, { find: 'crm-7' }))).toEqual(['acct_1'])
    expect(ids(foundAccounts(accounts, { find: 'nobody' }))).toEqual([])
  })

  test('are the newest first, unless another order is asked for', () => {
    expect(ids(foundAccounts(accounts, {}))).toEqual(['acct_3', 'acct_2', 'acct_1'])
    const byAvailable = foundAccounts(accounts, { order: 'available' })
    expect(ids(byAvailable)).toEqual(['acct_2', 'acct_1', 'acct_3'])
  })

  test('fit a status', () => {
    expect(ids(foundAccounts(accounts, { status: 'frozen' }))).toEqual(['acct_2'])
  })

  test('are summed exactly, beyond what a float could hold', () => {
    expect(sumsOf(accounts).available).toBe('18014398509481985.000000000003')
  })
})
