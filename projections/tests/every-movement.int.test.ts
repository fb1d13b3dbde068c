/** Every event that moves money, in the views: as the ledger folds it, and as the books post it. */
import { AccountBooks } from '@svc/contracts/account-books'
import { type AccountEvent, accountStream, movesBalance } from '@svc/contracts/events/account'
import { encodeEvent } from '@svc/contracts/events/codec'
import { eventId } from '@svc/contracts/ids'
import { type EventStore, NO_STREAM, type StreamHead } from '@svc/contracts/ports/event-store'
import type { BookAccount } from '@svc/contracts/postings'
import { QUARTER_MS } from '@svc/contracts/zone'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { accountDecider } from '@svc/ledger/account/decider'
import { everyMovement } from '@svc/testing/ledger/every-movement'
import { accountId } from '@svc/testing/ledger/sample'
import { START_MS } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'
import { TIMEOUT_MS, viewsOf } from '../testing/open-views.ts'

const LIMIT = 1_000
const truth = everyMovement()
const origin = { correlationId: 'c', causationId: 'c', actor: 'operator' }

async function append(store: EventStore, expected: StreamHead, index: number): Promise<StreamHead> {
  const event = truth[index] as AccountEvent
  const events = [encodeEvent(eventId(accountId, `${index}`), event, origin)]
  const outcome = await store.append({ stream: accountStream(accountId), expected, events })
  if (outcome.kind !== 'appended') throw new Error(outcome.kind)
  return outcome.head
}

async function viewsOfAll() {
  const store = new MemoryEventStore()
  let head = NO_STREAM
  for (const index of truth.keys()) head = await append(store, head, index)
  return viewsOf(store)
}

test('after each event the account and its grants are what the ledger says', async () => {
  const store = new MemoryEventStore()
  let head = await append(store, NO_STREAM, 0)
  let state = accountDecider.evolve(accountDecider.initialState(), truth[0] as AccountEvent)
  const projections = await viewsOf(store)
  const { views } = projections
  for (const [index, event] of truth.entries()) {
    if (index === 0) continue
    state = accountDecider.evolve(state, event)
    head = await append(store, head, index)
    await projections.reached(await store.lastPosition(), TIMEOUT_MS)
    expect(views.account(accountId), event.type).toMatchObject({
      settled: state.balance,
      held: state.held,
      openRequests: state.openRequests.size,
      status: state.closedAt === null ? 'open' : 'closed',
    })
    const { rows } = views.grants({ accountId, isOpen: false, limit: LIMIT })
    const shown = new Map(rows.map((grant) => [grant.grantId, grant]))
    expect(shown.size).toBe(state.grants.size)
    for (const { expired: _, reference: __, ...grant } of state.grants.values()) {
      expect(shown.get(grant.grantId), event.type).toEqual({ accountId, ...grant })
    }
  }
})

test('each entry of the statement is made of the credit that the books post it to', async () => {
  const { views } = await viewsOfAll()
  const { rows, closing } = views.statement({ accountId, limit: LIMIT })
  const books = new AccountBooks()
  let balance = 0n
  const entries = rows.values()
  for (const event of truth) {
    const posted = new Map<BookAccount, bigint>()
    for (const { account, amount } of books.post(event)) {
      posted.set(account, (posted.get(account) ?? 0n) + amount)
    }
    if (!movesBalance(event)) continue
    const entry = entries.next().value
    if (entry === undefined) throw new Error(`${event.type} is missing in the statement`)
    const { debit, credit, paid, promotional, unpaid } = entry
    balance += credit - debit
    expect([balance, entry.balance]).toEqual([event.data.balanceAfter, event.data.balanceAfter])
    expect(paid + promotional + unpaid).toBe(debit + credit)
    // A grant is shown as what it is, also where a part of it pays a debt at once.
    if (event.type === 'CreditGranted') continue
    const change = (account: BookAccount) => magnitudeOf(posted.get(account) ?? 0n)
    expect({ paid, promotional, unpaid }, event.type).toEqual({
      paid: change('customer_credit'),
      promotional: change('promotional_credit'),
      unpaid: change('debt'),
    })
  }
  expect(entries.next().done).toBe(true)
  expect(closing).toBe(balance)
})

test('a month sums up each kind of movement', async () => {
  const { views } = await viewsOfAll()
  const snapshot = await views.movementsSnapshot()
  const month = snapshot.movements(accountId, START_MS, START_MS + QUARTER_MS)
  snapshot.close()
  const sum = (of: (event: AccountEvent) => bigint) =>
    truth.reduce((total, event) => total + of(event), 0n)
  const grantsOf = (category: string) =>
    sum(({ type, data }) =>
      type === 'CreditGranted' && data.category === category ? data.amount : 0n,
    )
  const amounts = (...types: readonly AccountEvent['type'][]) =>
    sum((event) => (types.includes(event.type) && movesBalance(event) ? event.data.amount : 0n))
  const refunded = amounts('CreditRefunded')
  expect(month).toMatchObject({
    opening: 0n,
    payments: grantsOf('paid'),
    promotional: grantsOf('promotional'),
    used: amounts('CreditDebited'),
    expired: amounts('CreditExpired'),
    // What is paid out at the end leaves the balance, and refunds come back to it.
    refunded: -refunded - amounts('AccountClosed'),
    corrected: amounts('BalanceAdjusted') - amounts('GrantVoided'),
    closing: 0n,
  })
})

function magnitudeOf(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}
