import { GRANT_PRIORITY_MAX } from '@svc/contracts/events/account'
import {
  accept,
  grant,
  granted,
  grantId,
  keyCreated,
  meter,
  opened,
  settle,
} from '@svc/testing/ledger/sample'
import { START_MS } from '@svc/testing/manual-time'
import { describe, expect, test } from 'vitest'
import { decideWatched, given, history } from '../../testing/decider-specification.ts'
import { decide } from './decider/decide.ts'
import { evolve } from './decider/evolve.ts'
import { GRANTS_WITH_CREDIT_MAX, grantOfReference } from './state.ts'

const expire = (at: number) => ({ type: 'ExpireCredit', actor: 'operator', at }) as const
const usable = [opened(), keyCreated()]

describe('credit', () => {
  test('lies in a bounded number of grants', () => {
    const many = Array.from({ length: GRANTS_WITH_CREDIT_MAX }, (_, index) => grant(index, 1n))
    const state = given(opened()).state
    for (const each of many) {
      const decision = decide(state, each)
      if (decision.kind === 'happens') for (const event of decision.events) evolve(state, event)
    }
    expect(state.burning).toHaveLength(GRANTS_WITH_CREDIT_MAX)
    const oneMore = grant(GRANTS_WITH_CREDIT_MAX, 1n)
    expect(decideWatched(state, oneMore)).toMatchObject({ kind: 'refused' })
    expect(decideWatched(state, grant(7, 1n))).toEqual({ kind: 'happens', events: [] })
  })

  test('is granted', () => {
    given(opened())
      .when(grant(1, 100n))
      .thenHappens(['CreditGranted', { amount: 100n, paidDebt: 0n, balanceAfter: 100n }])
  })

  test('is more than zero, and not past its time', () => {
    for (const amount of [0n, -5n])
      given(opened())
        .when(grant(1, amount))
        .thenRefused('invalid_value', /more than zero/, { param: 'amount' })
    given(opened())
      .when(grant(1, 5n, { expiresAt: START_MS }))
      .thenRefused('invalid_value', /have expired already/, { param: 'expires_at' })
  })

  test('has a priority, a reason and a reference within bounds', () => {
    for (const priority of [-1, 0.5, GRANT_PRIORITY_MAX + 1])
      given(opened())
        .when(grant(1, 5n, { priority }))
        .thenRefused('invalid_value', /a whole number from 0 to 1000/, { param: 'priority' })
    for (const priority of [0, GRANT_PRIORITY_MAX])
      given(opened())
        .when(grant(1, 5n, { priority }))
        .thenHappens(['CreditGranted', { priority }])
    for (const reference of ['', 'x'.repeat(201)])
      given(opened())
        .when(grant(1, 5n, { reference }))
        .thenRefused('invalid_value', /1 to 200 characters/, { param: 'reference' })
    given(opened())
      .when(grant(1, 5n, { reason: 'x'.repeat(501) }))
      .thenRefused('invalid_value', /at most 500 characters/, { param: 'reason' })
    // A character is one, also where it takes two units of UTF-16.
    given(opened())
      .when(grant(1, 5n, { reference: '😀'.repeat(200), reason: '😀'.repeat(500) }))
      .thenHappens(['CreditGranted'])
  })

  test('pitfall 20: the same grant, or the same payment, is granted once', () => {
    given(opened(), granted(1, 100n))
      .when(grant(1, 100n, { reason: 'again' }))
      .thenNothing()
    given(opened(), granted(1, 100n)).when(grant(1, 101n)).thenRefused('conflict')
    const paid = grant(1, 100n, { reference: 'payment-7' })
    given(history(opened(), paid))
      .when({ ...paid, grantId: grantId(2) })
      .thenNothing()
    given(history(opened(), paid))
      .when({ ...paid, grantId: grantId(2), amount: 1n })
      .thenRefused('conflict')
    const others = [
      { category: 'promotional' },
      { priority: 7 },
      { expiresAt: START_MS + 9 },
    ] as const
    for (const other of others)
      given(history(opened(), paid))
        .when({ ...paid, grantId: grantId(2), ...other })
        .thenRefused('conflict')
  })

  test('a payment is known by all of its reference, not by the end of it', () => {
    given(history(opened(), grant(1, 100n, { reference: 'payment-17' })))
      .when(grant(2, 100n, { reference: '7' }))
      .thenHappens(['CreditGranted', { reference: '7' }])
  })

  test('a payment that an older program granted is granted once, also after an erasure', () => {
    const paid = grant(1, 100n, { reference: 'payment-7' })
    const erase = { type: 'EraseTexts', changeId: 'chg_1', reason: 'asked' } as const
    const erased = given(history(opened(), paid, { ...erase, actor: 'operator', at: START_MS }))
    erased.when({ ...paid, grantId: grantId(2) }).thenNothing()
    expect(grantOfReference(erased.state, 'payment-7')).toMatchObject({ grantId: grantId(1) })
    expect(grantOfReference(erased.state, 'payment-8')).toBeUndefined()
  })

  test('a debt is paid first by the next grant', () => {
    const indebted = history(...usable, granted(1, 30n), accept(1), settle(1))
    const state = given(...indebted)
      .when(grant(2, 100n))
      .thenHappens(['CreditGranted', { paidDebt: 20n, balanceAfter: 80n }])
    expect(state).toMatchObject({ balance: 80n, debt: 0n })
    const paid = given(...indebted)
      .when(grant(2, 15n))
      .thenHappens(['CreditGranted', { paidDebt: 15n, balanceAfter: -5n }])
    expect(paid).toMatchObject({ debt: 5n, burning: [] })
  })

  test('expires at its time, once', () => {
    const expiring = given(
      history(opened(), granted(1, 100n, { expiresAt: START_MS + 10 }), grant(2, 5n)),
    )
    expiring.when(expire(START_MS + 9)).thenNothing()
    expiring
      .when(expire(START_MS + 10))
      .thenHappens(['CreditExpired', { grantId: grantId(1), amount: 100n, balanceAfter: 5n }])
    expiring.when(expire(START_MS + 11)).thenNothing()
  })

  test('does not expire as far as an open hold needs it, and does when the hold has ended', () => {
    const held = given(
      history(...usable, granted(1, 100n, { expiresAt: START_MS + 10 }), accept(1)),
    )
    held
      .when(expire(START_MS + 10))
      .thenHappens(['CreditExpired', { grantId: grantId(1), amount: 50n, balanceAfter: 50n }])
    held
      .when(settle(1, { meter: meter({ outputTokens: 1 }), at: START_MS + 20 }))
      .thenHappens(
        ['TokensMetered'],
        ['CreditDebited', { amount: 23n, debt: 0n, balanceAfter: 27n }],
      )
    held
      .when(expire(START_MS + 20))
      .thenHappens(['CreditExpired', { amount: 27n, balanceAfter: 0n }])
  })

  test('does not expire where it is what an open hold would burn, though there is other credit', () => {
    const gift = { category: 'promotional', expiresAt: START_MS + 10 } as const
    const held = given(history(...usable, granted(1, 60n), grant(2, 50n, gift), accept(1)))
    held.when(expire(START_MS + 10)).thenNothing()
    const other = given(history(...usable, granted(1, 60n), grant(2, 70n, gift), accept(1)))
    other
      .when(expire(START_MS + 10))
      .thenHappens(['CreditExpired', { grantId: grantId(2), amount: 20n, balanceAfter: 110n }])
  })

  test('is held grant by grant, in the order in which it would be burnt', () => {
    const gift = (index: number, amount: bigint) =>
      grant(index, amount, { category: 'promotional', expiresAt: START_MS + 10 })
    const held = history(...usable, granted(1, 60n), gift(2, 20n), gift(3, 50n), accept(1))
    given(held)
      .when(expire(START_MS + 10))
      .thenHappens(['CreditExpired', { grantId: grantId(3), amount: 20n, balanceAfter: 110n }])
  })

  test('in very many grants expires a hundred at a time, and other changes need not wait', () => {
    const gift = (index: number) => grant(index, 1n, { expiresAt: START_MS + 10 })
    const expiring = given(history(...usable, ...Array.from({ length: 401 }, (_, at) => gift(at))))
    const { decision } = expiring.when(expire(START_MS + 10))
    expect(decision).toMatchObject({ kind: 'happens', events: { length: 100 } })
    expiring.when(grant(1_000, 5n, { at: START_MS + 10 })).thenHappens(['CreditGranted'])
  })

  test('that has expired is not spent: it is booked with the next acceptance', () => {
    const mixed = history(...usable, granted(1, 100n, { expiresAt: START_MS + 10 }), grant(2, 60n))
    given(...mixed)
      .when(accept(1, { at: START_MS + 10 }))
      .thenHappens(
        ['CreditExpired', { amount: 100n, balanceAfter: 60n }],
        ['RequestAccepted', { hold: 50n }],
      )
    given(...usable, granted(1, 100n, { expiresAt: START_MS + 10 }))
      .when(accept(1, { at: START_MS + 10 }))
      .thenRefused('insufficient_quota')
  })

  test('that has expired is booked with the end of a request only where that costs more', () => {
    const expiring = grant(2, 60n, { expiresAt: START_MS + 10 })
    const end = settle(1, { at: START_MS + 20 })
    // All of the hold is met by the grant that ends first.
    given(history(...usable, grant(1, 50n), accept(1), expiring))
      .when(end)
      .thenHappens(['TokensMetered'], ['CreditDebited', { amount: 50n, balanceAfter: 60n }])
    given(history(...usable, grant(1, 30n), accept(1), expiring))
      .when(end)
      .thenHappens(
        ['CreditExpired', { grantId: grantId(2), amount: 30n, balanceAfter: 60n }],
        ['TokensMetered'],
        ['CreditDebited', { amount: 50n, debt: 0n, balanceAfter: 10n }],
      )
  })

  test('that has expired altogether pays for nothing of a request that costs more', () => {
    const held = history(...usable, grant(1, 30n, { priority: 1 }), accept(1))
    given(history(...held, grant(2, 10n, { expiresAt: START_MS + 10 }), grant(3, 60n)))
      .when(settle(1, { at: START_MS + 20 }))
      .thenHappens(
        ['CreditExpired', { grantId: grantId(2), amount: 10n, balanceAfter: 90n }],
        ['TokensMetered'],
        [
          'CreditDebited',
          {
            slices: [
              { grantId: grantId(1), amount: 30n },
              { grantId: grantId(3), amount: 20n },
            ],
            debt: 0n,
          },
        ],
      )
  })
})
