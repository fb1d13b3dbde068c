import {
  accept,
  grant,
  granted,
  grantId,
  keyCreated,
  opened,
  requestId,
  sampleId,
  settle,
} from '@svc/testing/ledger/sample'
import { adjust, charge, refund, voidOf } from '@svc/testing/ledger/sample-corrections'
import { START_MS } from '@svc/testing/manual-time'
import { describe, expect, test } from 'vitest'
import { given, history } from '../../../testing/decider-specification.ts'

const usable = [opened(), keyCreated()]

describe('a grant that is voided', () => {
  test('takes back what is left of it', () => {
    given(...usable, granted(1, 500n))
      .when(voidOf(1))
      .thenHappens([
        'GrantVoided',
        {
          amount: 500n,
          slices: [{ grantId: grantId(1), amount: 500n }],
          debt: 0n,
          balanceAfter: 0n,
          reason: 'a mistake',
        },
      ])
  })

  test('takes what was spent of it from other credit, and the rest becomes a debt', () => {
    const spent = history(...usable, grant(1, 60n), accept(1), settle(1), grant(2, 30n))
    const state = given(spent)
      .when(voidOf(1))
      .thenHappens([
        'GrantVoided',
        {
          amount: 60n,
          slices: [
            { grantId: grantId(1), amount: 10n },
            { grantId: grantId(2), amount: 30n },
          ],
          debt: 20n,
          balanceAfter: -20n,
        },
      ])
    expect([state.balance, state.debt, state.burning]).toEqual([-20n, 20n, []])
    given(history(...spent, voidOf(1)))
      .when(grant(3, 100n))
      .thenHappens(['CreditGranted', { paidDebt: 20n, balanceAfter: 80n }])
  })

  test('is voided once: a repetition is known by its change, another is refused with the date', () => {
    const log = history(...usable, grant(1, 60n), voidOf(1))
    given(log)
      .when(voidOf(1, { reason: 'again' }))
      .thenNothing()
    given(log)
      .when(voidOf(1, { changeId: sampleId('chg', 2) }))
      .thenRefused('conflict', /voided already/)
    given(log)
      .when(voidOf(2, { changeId: sampleId('chg', 1) }))
      .thenRefused('conflict', /idempotency key/)
  })

  test('that is unknown or has expired is refused', () => {
    given(...usable)
      .when(voidOf(1))
      .thenRefused('not_found')
    given(...usable, granted(1, 60n, { expiresAt: START_MS + 5 }))
      .when(voidOf(1, { at: START_MS + 5 }))
      .thenRefused('conflict', /expired on \{when\}.*adjustment/)
  })

  test('that will expire is voided before; what expired of it by another clock is gone', () => {
    const expiring = granted(1, 60n, { expiresAt: START_MS + 5 })
    given(...usable, expiring)
      .when(voidOf(1, { at: START_MS + 4 }))
      .thenHappens(['GrantVoided', { amount: 60n, balanceAfter: 0n }])
    const expire = { type: 'ExpireCredit', actor: 'operator', at: START_MS + 5 } as const
    given(history(...usable, expiring, accept(1), expire))
      .when(voidOf(1, { at: START_MS + 4 }))
      .thenHappens(['GrantVoided', { amount: 50n, debt: 0n, balanceAfter: 0n }])
  })

  test('before is told with the date', () => {
    const voided = given(history(...usable, grant(1, 60n), voidOf(1))).when(
      voidOf(1, { changeId: 'chg_x' }),
    )
    expect(voided.decision).toMatchObject({ refusal: { when: START_MS } })
    const expiring = given(...usable, granted(1, 60n, { expiresAt: START_MS + 5 }))
    const expired = expiring.when(voidOf(1, { at: START_MS + 9 }))
    expect(expired.decision).toMatchObject({ refusal: { when: START_MS + 5 } })
  })

  test('leaves other credit that is past its time to expire first', () => {
    given(
      ...usable,
      granted(1, 10n, { expiresAt: START_MS + 5 }),
      granted(2, 60n, { balanceAfter: 70n }),
    )
      .when(voidOf(2, { at: START_MS + 5 }))
      .thenHappens(['CreditExpired', { balanceAfter: 60n }], ['GrantVoided', { balanceAfter: 0n }])
  })

  test('has a reason and a reference within bounds', () => {
    const log = history(...usable, grant(1, 60n))
    given(log)
      .when(voidOf(1, { reason: 'x'.repeat(501) }))
      .thenRefused('invalid_value')
    given(log)
      .when(voidOf(1, { reference: '' }))
      .thenRefused('invalid_value')
    given(log)
      .when(voidOf(1, { reason: '😀'.repeat(500), reference: '😀'.repeat(200) }))
      .thenHappens(['GrantVoided', { reason: '😀'.repeat(500) }])
  })
})

describe('a refund', () => {
  const spent = history(...usable, grant(1, 60n), accept(1), settle(1))

  test('gives all of a charge back to the slices that paid it', () => {
    const state = given(spent)
      .when(refund(1, null))
      .thenHappens([
        'CreditRefunded',
        {
          amount: 50n,
          refundedBefore: 0n,
          paidDebt: 0n,
          slices: [{ grantId: grantId(1), amount: 50n }],
          credit: 0n,
          balanceAfter: 60n,
        },
      ])
    expect(state.grants.get(grantId(1))?.remaining).toBe(60n)
  })

  test('into a grant that was used up is spent again', () => {
    const usedUp = history(...usable, grant(1, 50n), accept(1), settle(1))
    const again = history(...usedUp, refund(1, 20n), refund(2, 30n))
    expect(given(again).state.burning).toMatchObject([{ grantId: grantId(1), remaining: 50n }])
    given(history(...again, accept(2)))
      .when(settle(2))
      .thenHappens(
        ['TokensMetered'],
        ['CreditDebited', { slices: [{ grantId: grantId(1), amount: 50n }], debt: 0n }],
      )
  })

  test('has no id of other credit', () => {
    given(history(...spent, adjust(1, 5n)))
      .when(refund(1, 5n, { refundId: sampleId('adj', 1) }))
      .thenRefused('conflict', /of another request/)
  })

  test('is never more than the charge less earlier refunds', () => {
    given(spent)
      .when(refund(1, 51n))
      .thenRefused('conflict', /\$0.00000000005 is left/)
    const partly = history(...spent, refund(1, 20n))
    given(partly)
      .when(refund(2, 31n))
      .thenRefused('conflict', /is left/)
    const whole = history(...partly, refund(2, 30n))
    given(whole)
      .when(refund(3, null))
      .thenRefused('conflict', /Nothing/)
    given(whole)
      .when(refund(3, 1n))
      .thenRefused('conflict', /Nothing/)
  })

  test('of zero or less is refused', () => {
    for (const amount of [0n, -5n])
      given(spent).when(refund(1, amount)).thenRefused('invalid_value')
  })

  test('is of one request: with its id another one is not refunded', () => {
    const log = history(...spent, refund(1, 20n))
    given(log)
      .when(refund(1, 20n, { requestId: sampleId('req', 2) }))
      .thenRefused('conflict')
  })

  test('of one request leaves those of others as they are, however many there were', () => {
    const two = history(...usable, grant(1, 110n), accept(1), settle(1), accept(2), settle(2))
    const ofSecond = { requestId: requestId(2) }
    const log = history(...two, refund(1, 20n), refund(2, 5n))
    given(log)
      .when(refund(3, 20n, ofSecond))
      .thenHappens(['CreditRefunded', { requestId: requestId(2), refundedBefore: 0n }])
    for (const index of [1, 2])
      given(log)
        .when(refund(index, 5n, ofSecond))
        .thenRefused('conflict', /of another request/)
  })

  test('is made once', () => {
    const log = history(...spent, refund(1, 20n))
    given(log)
      .when(refund(1, 20n, { reason: 'again' }))
      .thenNothing()
    for (const another of [21n, null])
      given(log)
        .when(refund(1, another))
        .thenRefused('conflict', /another amount/)
  })

  test('of all that is left is made once', () => {
    const log = history(...spent, refund(1, 20n), refund(2, null))
    given(log)
      .when(refund(2, null, { reason: 'again' }))
      .thenNothing()
    given(log).when(refund(1, 20n)).thenNothing()
    given(log)
      .when(refund(2, 1n))
      .thenRefused('conflict', /another amount/)
  })

  test('counts what the log tells of, where the account has forgotten', () => {
    const refunds = [{ refundId: sampleId('refund', 8), amount: 45n }]
    const recorded = { ...charge, refunds }
    const forgetful = given(spent)
    forgetful.state.hasForgottenRefunds = true
    forgetful.when(refund(1, 6n, { charge: recorded })).thenRefused('conflict', /is left/)
    forgetful.when(refund(8, 45n, { charge: recorded })).thenNothing()
    forgetful
      .when(refund(1, 5n, { charge: recorded }))
      .thenHappens(['CreditRefunded', { refundedBefore: 45n }])
  })

  test('pays a debt first, and what had paid a voided grant becomes credit of its own', () => {
    const voided = history(...spent, voidOf(1))
    given(voided)
      .when(refund(1, null))
      .thenHappens(['CreditRefunded', { paidDebt: 50n, slices: [], credit: 0n, balanceAfter: 0n }])
    const state = given(history(...voided, grant(2, 70n)))
      .when(refund(1, null))
      .thenHappens(['CreditRefunded', { paidDebt: 0n, slices: [], credit: 50n, balanceAfter: 70n }])
    expect(state.grants.get(sampleId('refund', 1))).toMatchObject({
      remaining: 50n,
      category: 'paid',
      expiresAt: null,
    })
  })

  test('that pays a debt goes on behind it, as if that part had come back already', () => {
    const two = history(...usable, grant(1, 30n), grant(2, 20n), accept(1), settle(1))
    const slices = [
      { grantId: grantId(1), amount: 30n },
      { grantId: grantId(2), amount: 20n },
    ]
    given(history(...two, adjust(1, -25n)))
      .when(refund(1, 40n, { charge: { ...charge, slices } }))
      .thenHappens([
        'CreditRefunded',
        { paidDebt: 25n, slices: [{ grantId: grantId(1), amount: 15n }], credit: 0n },
      ])
  })

  test('unwinds the debit from its end, part by part', () => {
    const two = history(...usable, grant(1, 30n), grant(2, 40n), accept(1), settle(1))
    const slices = [
      { grantId: grantId(1), amount: 30n },
      { grantId: grantId(2), amount: 20n },
    ]
    const state = given(history(...two, refund(1, 15n, { charge: { ...charge, slices } })))
      .when(refund(2, 15n, { charge: { ...charge, slices } }))
      .thenHappens([
        'CreditRefunded',
        {
          slices: [
            { grantId: grantId(2), amount: 5n },
            { grantId: grantId(1), amount: 10n },
          ],
        },
      ])
    expect(state.balance).toBe(50n)
  })
})

describe('an adjustment', () => {
  test('up is new credit, after a debt is paid', () => {
    const indebted = history(...usable, grant(1, 60n), accept(1), settle(1), voidOf(1))
    given(indebted)
      .when(adjust(1, 80n))
      .thenHappens([
        'BalanceAdjusted',
        { amount: 80n, paidDebt: 50n, credit: 30n, slices: [], debt: 0n, balanceAfter: 30n },
      ])
  })

  test('down burns credit, and what none covers is a debt', () => {
    const state = given(...usable, granted(1, 60n))
      .when(adjust(1, -80n))
      .thenHappens([
        'BalanceAdjusted',
        {
          amount: -80n,
          slices: [{ grantId: grantId(1), amount: 60n }],
          debt: 20n,
          balanceAfter: -20n,
        },
      ])
    expect(state.debt).toBe(20n)
    expect([...state.grants.keys()]).toEqual([grantId(1)])
  })

  test('by zero is refused, and each is made once', () => {
    given(...usable)
      .when(adjust(1, 0n))
      .thenRefused('invalid_value')
    const log = history(...usable, adjust(1, 5n))
    given(log)
      .when(adjust(1, 5n, { reason: 'again' }))
      .thenNothing()
    given(log).when(adjust(1, 6n)).thenRefused('conflict')
    given(log)
      .when(adjust(1, 5n, { reference: 'other' }))
      .thenRefused('conflict')
  })

  test('has a reason and a reference within bounds', () => {
    for (const texts of [{ reason: 'x'.repeat(501) }, { reference: '' }])
      given(...usable)
        .when(adjust(1, 5n, texts))
        .thenRefused('invalid_value')
  })
})
