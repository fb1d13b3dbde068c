/** The times of an account never go back in its usage, whichever gateway wrote its events. */
import { usageQuery } from '@svc/contracts/wire/usage'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, test } from 'vitest'
import { viewsOf } from '../../../testing/open-views.ts'
import { usagePage } from '../../answers/usage-answer.ts'
import type { Views } from '../views.ts'

const HOUR_MS = 3_600_000

test.each([
  ['used', use],
  ['paid', pay],
])('an account that %s last has its time again after a restart', async (_name, move) => {
  const store = new MemoryEventStore()
  const history = use(new AccountHistory('Ada').open(), START_MS)
  await move(history, START_MS + 5 * HOUR_MS).writeTo(store)
  const folder = temporaryFolder()
  await (await viewsOf(store, folder)).close()
  // This gateway's clock is behind.
  await use(history, START_MS + 2 * HOUR_MS).writeTo(store)
  const [restarted, steady] = await Promise.all([viewsOf(store, folder), viewsOf(store)])
  const hours = hoursOf(restarted.views, history)
  expect(hours.map(({ from }) => from).at(-1)).toBe('2026-11-01T05:00:00Z')
  expect(hours).toEqual(hoursOf(steady.views, history))
})

function hoursOf(views: Views, { accountId }: AccountHistory) {
  const day = usageQuery.parse({ from: '2026-11-01', to: '2026-11-02', by: 'hour' })
  return usagePage(views, accountId, day, START_MS).data
}

function use(history: AccountHistory, at: number): AccountHistory {
  const id = requestId(at, 'use')
  return history.accept(id, at).settle(id, at)
}

function pay(history: AccountHistory, at: number): AccountHistory {
  const amount = 1_000n
  history.balance += amount
  return history.add('paid', {
    type: 'CreditGranted',
    data: {
      grantId: 'grant_paid',
      amount,
      category: 'paid',
      priority: 100,
      expiresAt: null,
      reference: 'INV-2',
      reason: 'more',
      changeId: null,
      paidDebt: 0n,
      balanceAfter: history.balance,
      at,
    },
  })
}
