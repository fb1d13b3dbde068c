/** Whatever number of a history is wrong, the checker says so. */
import type { AccountEvent } from '@svc/contracts/events/account'
import { expect, test } from 'vitest'
import { alteredAmounts } from '../ledger/altered-amounts.ts'
import { everyMovement } from '../ledger/every-movement.ts'
import { price } from '../ledger/sample.ts'
import { check } from './check.ts'
import { logOf, published } from './event-log.ts'

const truth = everyMovement()
const found = (events: readonly AccountEvent[]) =>
  check([], logOf({ type: 'PricePublished', data: { ...published.data, price } }, ...events))

test('a true history breaks no invariant', () => {
  expect(found(truth)).toEqual([])
})

test('each amount and each count of tokens is held against the others', () => {
  const missed = new Set<string>()
  for (const { where, events } of alteredAmounts(truth)) {
    if (found(events).length === 0) missed.add(where)
  }
  // What is accepted is a bound: less may be held, and less used.
  expect([...missed]).toEqual([
    'RequestAccepted.promptTokens',
    'RequestAccepted.maxOutputTokens',
    'RequestAccepted.hold',
  ])
})
