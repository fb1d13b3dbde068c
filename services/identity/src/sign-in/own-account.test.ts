import { ServiceError } from '@svc/contracts/errors'
import type { UserRecords } from '@svc/contracts/ports/user-records'
import { expect, test, vi } from 'vitest'
import { OwnAccount, type OwnAccountPorts } from './own-account.ts'

test('who signs up where no user has room leaves no account with credit behind', async () => {
  const full = new ServiceError('conflict', 'There are 1 users, the most there can be.')
  const openAccount = vi.fn<OwnAccountPorts['ledger']['administration']['openAccount']>()
  const grant = vi.fn<OwnAccountPorts['ledger']['administration']['grant']>()
  openAccount.mockResolvedValue({ accountId: 'acct_a', created: true })
  const records: Partial<UserRecords> = {
    findByEmail: async () => undefined,
    add: async () => true,
    erase: async () => true,
  }
  const ownAccount = new OwnAccount({
    users: {
      find: async () => undefined,
      newUserId: () => 'usr_a',
      requireRoom: () => Promise.reject(full),
      change: () => Promise.reject(full),
    },
    records: records as UserRecords,
    passwords: { hash: async () => 'hash' },
    ledger: { administration: { openAccount, grant } } as unknown as OwnAccountPorts['ledger'],
    signUp: { policy: 'open', credit: 1n },
  })
  const newcomer = { email: 'ada@example.com', displayName: 'Ada', password: 'secret' }
  await expect(ownAccount.open(newcomer, 'Ada')).rejects.toThrow(full)
  expect([openAccount.mock.calls, grant.mock.calls]).toEqual([[], []])
})
