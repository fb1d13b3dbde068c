/** Double entry: the books and the account say the same after every event of any history. */
import { AccountBooks, sumOf } from '@svc/contracts/account-books'
import type { AccountEvent } from '@svc/contracts/events/account'
import { type BookAccount, bookAccounts } from '@svc/contracts/postings'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AccountState } from './state.ts'
import { histories, play } from './testing/random-history.ts'

function leftOf({ grants }: AccountState, category: 'paid' | 'promotional'): bigint {
  const own = [...grants.values()].filter((grant) => grant.category === category)
  return sumOf(own.map(({ remaining }) => remaining))
}

test('the postings of every event are in balance, and say what the customer has', () => {
  const posted = new Set<string>()
  fc.assert(
    fc.property(histories, (steps) => {
      const books = new AccountBooks()
      play(steps, (state, event) => {
        const postings = books.post(event)
        for (const { account } of postings) posted.add(account)
        expect(postings.every(({ amount }) => amount !== 0n)).toBe(true)
        expect(sumOf(postings.map(({ amount }) => amount))).toBe(0n)
        expect([books.settled, books.held]).toEqual([state.balance, state.held])
        expect(sumOf(Object.values(books.trialBalance))).toBe(0n)
        const { customer_credit, promotional_credit, debt, reserved } = books.trialBalance
        expect(-customer_credit).toBe(leftOf(state, 'paid'))
        expect(-promotional_credit).toBe(leftOf(state, 'promotional'))
        expect([debt, reserved]).toEqual([state.debt, state.held])
      })
    }),
    { numRuns: 400 },
  )
  expect([...posted].toSorted()).toEqual([...bookAccounts].toSorted())
})

type Moved = readonly [account: BookAccount, amount: bigint]

/** What an event changes of income, expense and money, worked out from its amount alone. */
function movedBy({ grants }: AccountState, { type, data }: AccountEvent): Moved | undefined {
  switch (type) {
    case 'CreditGranted':
      return [data.category === 'paid' ? 'payments' : 'promotional_expense', data.amount]
    case 'AccountClosed':
      return data.remainder === 'paid_out' ? ['payments', data.amount] : undefined
    case 'CreditDebited':
      return ['earned', -data.amount]
    case 'CreditRefunded':
      return ['earned', data.amount]
    case 'CreditExpired': {
      const isPaid = grants.get(data.grantId)?.category === 'paid'
      return [isPaid ? 'breakage' : 'promotional_expense', -data.amount]
    }
    default:
      return undefined
  }
}

test('each kind of income and expense is the sum of its own events', () => {
  fc.assert(
    fc.property(histories, (steps) => {
      const books = new AccountBooks()
      const moved: Moved[] = []
      play(steps, (state, event) => {
        moved.push(...[movedBy(state, event)].filter((each) => each !== undefined))
        books.post(event)
      })
      for (const name of ['payments', 'promotional_expense', 'earned', 'breakage'] as const) {
        const own = moved.filter(([account]) => account === name)
        expect(books.trialBalance[name]).toBe(sumOf(own.map(([, amount]) => amount)))
      }
    }),
    { numRuns: 400 },
  )
})
