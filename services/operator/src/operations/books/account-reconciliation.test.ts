/** Whatever number of a history is wrong, the reconciliation of its account says so. */
import type { AccountEvent } from '@svc/contracts/events/account'
import { alteredAmounts } from '@svc/testing/ledger/altered-amounts'
import { everyMovement } from '@svc/testing/ledger/every-movement'
import { expect, test } from 'vitest'
import { AccountReconciliation } from './account-reconciliation.ts'
import { Findings } from './findings.ts'

const truth = everyMovement()

function reconciled(events: readonly AccountEvent[]): Findings {
  const findings = new Findings()
  const reconciliation = new AccountReconciliation('acct_1', findings)
  for (const [index, event] of events.entries()) reconciliation.take(event, `event ${index}`)
  reconciliation.finish()
  return findings
}

const found = (events: readonly AccountEvent[]) =>
  reconciled(events).shown.map(({ equation, problem }) => `${equation}: ${problem}`)

/** The equations that are false, and by how much. */
function broken(events: readonly AccountEvent[]): Record<string, string> {
  const wrong = reconciled(events)
    .equations()
    .filter(({ ok }) => !ok)
  return Object.fromEntries(wrong.map(({ name, difference }) => [name, difference]))
}

const pico = (count: number) => `0.${`${count}`.padStart(12, '0')}`

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

/** The history in which the first or the last event of a type says something else. */
function saying(type: AccountEvent['type'], changes: object, which: 'first' | 'last' = 'first') {
  const isMeant = (event: AccountEvent): boolean => event.type === type
  const index = which === 'first' ? truth.findIndex(isMeant) : truth.findLastIndex(isMeant)
  const data = { ...truth[index]?.data, ...changes }
  return truth.with(index, { type, data } as AccountEvent)
}

const without = (type: AccountEvent['type']) => {
  const index = truth.findIndex((event) => event.type === type)
  return truth.toSpliced(index, 1)
}
const upTo = (type: AccountEvent['type']) => {
  return truth.slice(0, truth.findIndex((event) => event.type === type) + 1)
}
const [debit] = truth.filter((event) => event.type === 'CreditDebited')
const lines = debit?.data.lines ?? []
const [line] = lines

test.each<[string, readonly AccountEvent[], Record<string, string>]>([
  [
    'a token more than was computed',
    saying('TokensMetered', { inputTokens: 6 }),
    { meters: '2', debits: pico(2) },
  ],
  [
    'one more than may be made',
    saying('TokensMetered', { outputTokens: 10 }),
    { meters: '1', debits: pico(3) },
  ],
  [
    'fewer tokens than were debited',
    saying('TokensMetered', { outputTokens: 7 }),
    { debits: pico(6) },
  ],
  [
    'a line of other tokens',
    saying('CreditDebited', { lines: lines.with(0, { ...line, tokens: 9 } as never) }),
    { debits: '0.00' },
  ],
  [
    'a line of another amount',
    saying('CreditDebited', { lines: lines.with(0, { ...line, amount: 17n } as never) }),
    { debits: pico(7) },
  ],
  ['a meter that nothing follows', upTo('TokensMetered'), { debits: pico(41) }],
  [
    'a meter without a debit',
    truth.filter(({ type }) => type !== 'CreditDebited').slice(0, 8),
    { debits: pico(41) },
  ],
  // The balance goes up by what is wrong, and down again with the next event.
  ['a balance in between', saying('CreditRefunded', { balanceAfter: 88n }), { balances: pico(18) }],
  [
    'the last balance',
    saying('AccountClosed', { balanceAfter: 7n }),
    { balances: pico(7), postings: pico(7) },
  ],
  [
    'a part of a closing',
    saying('AccountClosed', { paidDebt: 3n }),
    { balances: '0.00', postings: pico(3) },
  ],
])('%s is found by its equation', (_name, events, expected) => {
  expect(broken(events)).toEqual(expected)
})

test('a debit is of a request that was accepted and metered', () => {
  for (const type of ['RequestAccepted', 'TokensMetered'] as const) {
    expect(found(without(type))).toContainEqual(
      expect.stringMatching(/^debits: req_.* is debited without a meter/),
    )
  }
})

test('a hundred places are told, and the difference is of all', () => {
  const findings = new Findings()
  for (const difference of [...Array(60).fill(2n), ...Array(60).fill(-3n)]) {
    findings.add('views', 'accounts', 'rows differ', difference)
  }
  expect(findings.shown).toHaveLength(100)
  expect(findings.shown.at(-1)).toMatchObject({ difference: '3' })
  expect(findings.equations()).toContainEqual({ name: 'views', ok: false, difference: '300' })
  expect(findings.equations()).toContainEqual({ name: 'debits', ok: true, difference: '0.00' })
})

test('a request that is metered twice is debited for one of the two alone', () => {
  const metered = truth.findIndex(({ type }) => type === 'TokensMetered')
  const twice = truth.toSpliced(metered, 0, ...truth.slice(metered, metered + 1))
  expect(found(twice)).toEqual([expect.stringMatching(/^debits: .* is metered and not debited/)])
})
