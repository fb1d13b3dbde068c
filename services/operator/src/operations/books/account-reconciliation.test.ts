/** Whatever number of a history is wrong, the reconciliation of its account says so. */
import type { AccountEvent } from '@svc/contracts/events/account'
import { alteredAmounts } from '@svc/testing/ledger/altered-amounts'
import { everyMovement } from '@svc/testing/ledger/every-movement'
import { expect, test } from 'vitest'
import { AccountReconciliation } from './account-reconciliation.ts'
import { Findings } from './findings.ts'

const truth = everyMovement()

function found(events: readonly AccountEvent[]) {
  const findings = new Findings()
  const reconciliation = new AccountReconciliation('acct_1', findings)
  for (const [index, event] of events.entries()) reconciliation.take(event, `event ${index}`)
  reconciliation.finish()
  return findings.shown.map(({ equation, problem }) => `${equation}: ${problem}`)
}

test('a true history is in order', () => {
  expect(found(truth)).toEqual([])
})

test('each amount and each count of tokens is held against the others', () => {
  const missed: Record<string, number> = {}
  for (const { where, events } of alteredAmounts(truth)) {
    if (found(events).length === 0) missed[where] = (missed[where] ?? 0) + 1
  }
  expect(missed).toEqual({
    // What is held moves no money, and a request may use less than it was accepted for.
    'RequestAccepted.hold': 10,
    'RequestAccepted.promptTokens': 7,
    'RequestAccepted.maxOutputTokens': 8,
    // Two requests were never charged.
    'RequestAccepted.price.input': 4,
    'RequestAccepted.price.cachedInput': 4,
    'RequestAccepted.price.output': 4,
  })
})

test('a request that is metered twice is debited for one of the two alone', () => {
  const metered = truth.findIndex(({ type }) => type === 'TokensMetered')
  const twice = truth.toSpliced(metered, 0, ...truth.slice(metered, metered + 1))
  expect(found(twice)).toEqual([expect.stringMatching(/^debits: .* is metered and not debited/)])
})
