/** Double entry: the books and the account say the same after every event of any history. */
import { AccountBooks, sumOf } from '@svc/contracts/account-books'
import { bookAccounts } from '@svc/contracts/postings'
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

test('money comes in by paid grants, leaves by what is paid out, and is earned by debits', () => {
  fc.assert(
    fc.property(histories, (steps) => {
      const books = new AccountBooks()
      let [paid, earned] = [0n, 0n]
      play(steps, (_state, event) => {
        const { type, data } = event
        if (type === 'CreditGranted' && data.category === 'paid') paid += data.amount
        if (type === 'AccountClosed' && data.remainder === 'paid_out') paid += data.amount
        if (type === 'CreditDebited') earned += data.amount
        if (type === 'CreditRefunded') earned -= data.amount
        books.post(event)
      })
      expect([books.trialBalance.payments, -books.trialBalance.earned]).toEqual([paid, earned])
    }),
  )
})
